//! Short texts that need no allocation: a run states four figures, a file up to hundreds of
//! thousands of runs.

use std::fmt;
use std::ops::Deref;

/// Bytes that are kept in place: `2.66` has four, and a printed float seldom has more.
const INLINE: usize = 22;

/// A text that is never changed.
#[derive(Clone, PartialEq, Eq)]
pub struct ShortText(Kept);

#[derive(Clone, PartialEq, Eq)]
enum Kept {
    /// That many bytes of them; the rest is zero.
    Inline(u8, [u8; INLINE]),
    Long(Box<str>),
}

impl From<&str> for ShortText {
    fn from(text: &str) -> Self {
        let mut bytes = [0; INLINE];
        Self(
            match (bytes.get_mut(..text.len()), u8::try_from(text.len())) {
                (Some(head), Ok(length)) => {
                    head.copy_from_slice(text.as_bytes());
                    Kept::Inline(length, bytes)
                }
                _ => Kept::Long(text.into()),
            },
        )
    }
}

impl Deref for ShortText {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Kept::Long(text) => text,
            // They were a text when they were put there.
            Kept::Inline(length, bytes) => bytes
                .get(..usize::from(*length))
                .and_then(|bytes| std::str::from_utf8(bytes).ok())
                .unwrap_or_default(),
        }
    }
}

impl fmt::Debug for ShortText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for ShortText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_any_length_come_back() {
        for text in [
            "",
            "2.66",
            "é",
            &"9".repeat(INLINE),
            &"9".repeat(INLINE + 1),
        ] {
            let kept = ShortText::from(text);
            assert_eq!((&*kept, kept.to_string()), (text, text.to_owned()));
        }
        assert!(size_of::<ShortText>() <= size_of::<String>());
    }
}
