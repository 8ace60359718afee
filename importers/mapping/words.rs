//! Words of a file: slugs, element types, statuses, dates.

use crate::Status;
use crate::instant::Instant;

/// All statuses, for messages and look-ups.
pub(super) const STATUSES: [Status; 10] = [
    Status::Passed,
    Status::NotRun,
    Status::Skipped,
    Status::CompileError,
    Status::RuntimeError,
    Status::Timeout,
    Status::Incorrect,
    Status::RewardHack,
    Status::InvalidReference,
    Status::Failed,
];

/// The status of that name.
pub(super) fn status(word: &str) -> Option<Status> {
    let word = word.trim();
    STATUSES
        .into_iter()
        .find(|status| status.as_str().eq_ignore_ascii_case(word))
}

/// A short name: words in lower case with `-` between them.
pub(super) fn slug(name: &str) -> String {
    let words: Vec<String> = name
        .split(|c: char| !c.is_alphanumeric() && c != '.')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    if words.is_empty() {
        "unnamed".to_owned()
    } else {
        words.join("-")
    }
}

/// An element type as `PyTorch` spells it; one that isn't known stays as written.
pub(super) fn dtype(word: &str) -> String {
    let word = word.trim();
    let plain = word.strip_prefix("torch.").unwrap_or(word);
    let lower = plain.to_ascii_lowercase();
    let spelled = match lower.as_str() {
        "fp64" | "f64" | "double" | "float64" => "float64",
        "fp32" | "f32" | "float" | "float32" => "float32",
        "fp16" | "f16" | "half" | "float16" => "float16",
        "bf16" | "bfloat16" => "bfloat16",
        "i64" | "s64" | "int64" | "long" => "int64",
        "i32" | "s32" | "int32" | "int" => "int32",
        "i16" | "s16" | "int16" | "short" => "int16",
        "i8" | "s8" | "int8" => "int8",
        "u8" | "uint8" => "uint8",
        "fp8_e4m3" | "e4m3" | "float8_e4m3fn" | "fp8_e4m3fn" => "float8_e4m3fn",
        "fp8_e5m2" | "e5m2" | "float8_e5m2" => "float8_e5m2",
        _ => return plain.to_owned(),
    };
    spelled.to_owned()
}

/// Whether a text is an element type.
pub(super) fn is_dtype(word: &str) -> bool {
    const NARROW: [&str; 8] = [
        "fp8", "fp4", "nvfp4", "mxfp4", "mxfp8", "int4", "tf32", "bool",
    ];
    let plain = word.trim().to_ascii_lowercase();
    NARROW.contains(&plain.as_str())
        || matches!(
            dtype(&plain).as_str(),
            "float64"
                | "float32"
                | "float16"
                | "bfloat16"
                | "int64"
                | "int32"
                | "int16"
                | "int8"
                | "uint8"
                | "float8_e4m3fn"
                | "float8_e5m2"
        )
}

/// A date or an instant in the form that observations take: `YYYY-MM-DD` or UTC to the
/// second; and whether its zone was assumed.
pub(super) fn date(text: &str, format: Option<&str>) -> Option<(String, bool)> {
    let text = text.trim();
    match format {
        None => plain_date(text),
        Some("unix") => Some((seconds_since_1970(text.parse().ok()?)?, false)),
        Some("unix-ms") => {
            let milliseconds: i64 = text.parse().ok()?;
            Some((seconds_since_1970(milliseconds.div_euclid(1000))?, false))
        }
        Some(format) => plain_date(&by_format(text, format)?),
    }
}

fn plain_date(text: &str) -> Option<(String, bool)> {
    let whole = |text: &str| {
        let instant = Instant::parse(text)?;
        Some((instant.to_string(), !instant.zoned))
    };
    if text.contains([':']) {
        return whole(text).or_else(|| {
            // `12:30` without seconds.
            let (day, time) = text.split_once(['T', ' '])?;
            let minutes = time.get(..5)?;
            whole(&format!("{day}T{minutes}:00{}", time.get(5..)?))
        });
    }
    // A day is one at which an instant can be.
    whole(&format!("{text}T00:00:00")).map(|_| (text.to_owned(), false))
}

fn seconds_since_1970(seconds: i64) -> Option<String> {
    const LAST: i64 = 253_402_300_799;
    if !(0..=LAST).contains(&seconds) {
        return None;
    }
    let hour = seconds.div_euclid(3600);
    let of_hour = seconds.rem_euclid(3600);
    let start = format!("1970-01-01T00:{:02}:{:02}Z", of_hour / 60, of_hour % 60);
    Some(Instant::parse(&start)?.later(hour).to_string())
}

/// Takes a text apart as the format says: `%Y`, `%m`, `%d`, `%H`, `%M`, `%S`; the rest of
/// the format must stand as it is, and `*` at its end for anything.
fn by_format(text: &str, format: &str) -> Option<String> {
    let mut parts: [Option<String>; 6] = Default::default();
    let mut rest = text;
    let mut format = format.chars();
    while let Some(c) = format.next() {
        if c == '*' && format.as_str().is_empty() {
            rest = "";
            break;
        }
        if c != '%' {
            rest = rest.strip_prefix(c)?;
            continue;
        }
        let (which, digits) = match format.next()? {
            'Y' => (0, 4),
            'm' => (1, 2),
            'd' => (2, 2),
            'H' => (3, 2),
            'M' => (4, 2),
            'S' => (5, 2),
            _ => return None,
        };
        let (number, after) = rest.split_at_checked(digits)?;
        if !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *parts.get_mut(which)? = Some(number.to_owned());
        rest = after;
    }
    if !rest.is_empty() {
        return None;
    }
    let [year, month, day, hour, minute, second] = parts;
    let day = format!("{}-{}-{}", year?, month?, day?);
    Some(match hour {
        None => day,
        Some(hour) => format!(
            "{day}T{hour}:{}:{}",
            minute.unwrap_or_else(|| "00".to_owned()),
            second.unwrap_or_else(|| "00".to_owned())
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_come_in_many_forms() {
        let cases = [
            ("2026-03-05", None, Some(("2026-03-05", false))),
            (
                "2026-03-05 12:30:05",
                None,
                Some(("2026-03-05T12:30:05Z", true)),
            ),
            (
                "2026-03-05T12:30Z",
                None,
                Some(("2026-03-05T12:30:00Z", false)),
            ),
            (
                "2026-03-05T12:30:05.5+02:00",
                None,
                Some(("2026-03-05T10:30:05Z", false)),
            ),
            (
                "run_20260226_235356",
                Some("run_%Y%m%d_%H%M%S"),
                Some(("2026-02-26T23:53:56Z", true)),
            ),
            (
                "05.03.2026 (a)",
                Some("%d.%m.%Y*"),
                Some(("2026-03-05", false)),
            ),
            (
                "1772713805",
                Some("unix"),
                Some(("2026-03-05T12:30:05Z", false)),
            ),
            (
                "1772713805999",
                Some("unix-ms"),
                Some(("2026-03-05T12:30:05Z", false)),
            ),
            ("2026-02-30", None, None),
            ("yesterday", None, None),
            ("é", Some("%Y"), None),
            ("2026", Some("%Y"), None),
            ("20260305", Some("%Y%m%q"), None),
        ];
        for (text, format, expected) in cases {
            let read = date(text, format);
            let expected = expected.map(|(date, assumed)| (date.to_owned(), assumed));
            assert_eq!(read, expected, "{text}");
        }
    }

    #[test]
    fn dtypes_are_spelled_one_way() {
        for (word, spelled) in [
            ("fp16", "float16"),
            ("torch.bfloat16", "bfloat16"),
            ("F32", "float32"),
            ("nvfp4", "nvfp4"),
        ] {
            assert_eq!(dtype(word), spelled);
        }
    }
}
