//! gzip and zstd, told apart by their first bytes.

use std::io::{self, Read};

/// Which compression the bytes are in, if any.
pub fn container(raw: &[u8]) -> Option<&'static str> {
    if raw.starts_with(&[0x1f, 0x8b]) {
        Some("gzip")
    } else if raw.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        Some("zstd")
    } else {
        None
    }
}

/// The content, all of it: a missing end is an error, never a shorter result.
pub fn unpack(container: &str, raw: &[u8], limit: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    let read = match container {
        "gzip" => flate2::read::MultiGzDecoder::new(raw)
            .take(limit + 1)
            .read_to_end(&mut content),
        _ => zstd::stream::read::Decoder::new(raw)?
            .take(limit + 1)
            .read_to_end(&mut content),
    };
    read.map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => io::Error::new(
            io::ErrorKind::UnexpectedEof,
            format!(
                "unexpected end of the {container} data after {} bytes of content",
                content.len()
            ),
        ),
        _ => error,
    })?;
    if content.len() as u64 > limit {
        return Err(io::Error::other(format!(
            "the content is larger than {} MiB",
            limit >> 20
        )));
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        out.write_all(content).unwrap();
        out.finish().unwrap()
    }

    #[test]
    fn both_round_trip_and_say_where_they_end_early() {
        let content = br#"{"level1": {}}"#.repeat(200);
        for packed in [gzip(&content), zstd::encode_all(&content[..], 3).unwrap()] {
            let kind = container(&packed).unwrap();
            assert_eq!(unpack(kind, &packed, 1 << 20).unwrap(), content);
            for cut in [packed.len() - 1, packed.len() / 2, 12] {
                let error = unpack(kind, &packed[..cut], 1 << 20)
                    .unwrap_err()
                    .to_string();
                assert!(
                    error.contains("unexpected end") || error.contains("incomplete"),
                    "{kind} cut at {cut}: {error}"
                );
            }
            assert!(
                unpack(kind, &packed, 10)
                    .unwrap_err()
                    .to_string()
                    .contains("larger")
            );
        }
        assert_eq!(container(b"{}"), None);
    }

    #[test]
    fn several_gzip_members_are_one_content() {
        let mut packed = gzip(b"{\"a\":");
        packed.extend(gzip(b"1}"));
        assert_eq!(unpack("gzip", &packed, 100).unwrap(), b"{\"a\":1}");
    }
}
