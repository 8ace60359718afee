//! JSON Lines: a value on each line, so that a broken one costs no other.

use crate::Refused;

use super::text::Document;

/// The lines of a text that aren't blank, each a document of its own that knows where it
/// stands, or why it can't be one.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = Result<Document<'_>, Refused>> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    bytes
        .split(|byte| *byte == b'\n')
        .zip(1..)
        .filter(|(line, _)| !line.trim_ascii().is_empty())
        .map(|(line, number)| Document::open_at(line, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_know_where_they_stand() {
        let text = b"\xEF\xBB\xBF{\"a\": 1}\r\n\n  \n[2\n\xff\n3";
        let seen: Vec<(Option<u64>, String)> = lines(text)
            .map(|line| {
                let read = line.and_then(|document| {
                    let mut cursor = document.cursor();
                    let node = cursor.value()?;
                    cursor.finish()?;
                    Ok(document.place("", node.span.start))
                });
                match read {
                    Ok(place) => (place.line, "read".to_owned()),
                    Err(refused) => (refused.place.line, refused.message),
                }
            })
            .collect();
        let lines: Vec<Option<u64>> = seen.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [Some(1), Some(4), Some(5), Some(6)]);
        assert!(seen[1].1.contains("line 4"), "{}", seen[1].1);
        assert!(seen[2].1.contains("line 5"), "{}", seen[2].1);
    }
}
