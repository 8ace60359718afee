//! Instants as sources write them: ISO 8601 in, UTC to the second out.

use std::fmt;

/// Seconds of a day.
const DAY: i64 = 86_400;

/// An instant, to the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant {
    /// Seconds since 1970-01-01T00:00:00Z.
    seconds: i64,
    /// Whether the text named its zone; where it doesn't, UTC was assumed.
    pub zoned: bool,
}

impl Instant {
    /// Reads `2025-07-18T08:58:35.782901`, with `Z`, `+02:00` or no zone behind it; a blank
    /// may stand for the `T`. Parts of a second are dropped. `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (date, time) = text.split_once(['T', ' '])?;
        let (year, month, day) = three(date, '-', [4, 2, 2])?;
        let zone = time.find(['Z', '+', '-']).unwrap_or(time.len());
        let (clock, zone) = time.split_at_checked(zone)?;
        let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
        let (hour, minute, second) = three(clock, ':', [2, 2, 2])?;
        let offset = offset(zone)?;
        let plausible = (1..=12).contains(&month)
            && (1..=days_of(year, month)).contains(&day)
            && hour < 24
            && minute < 60
            && second < 60
            && !fraction.is_empty()
            && fraction.bytes().all(|byte| byte.is_ascii_digit());
        plausible.then(|| Self {
            seconds: days_since_1970(year, month, day) * DAY + hour * 3600 + minute * 60 + second
                - offset,
            zoned: !zone.is_empty(),
        })
    }

    /// That many hours later.
    #[must_use]
    pub fn later(self, hours: i64) -> Self {
        Self {
            seconds: self.seconds.saturating_add(hours.saturating_mul(3600)),
            ..self
        }
    }
}

impl fmt::Display for Instant {
    /// `YYYY-MM-DDTHH:MM:SSZ`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date(self.seconds.div_euclid(DAY));
        let second = self.seconds.rem_euclid(DAY);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
            second / 3600,
            second / 60 % 60,
            second % 60
        )
    }
}

/// Three numbers of so many digits each.
fn three(text: &str, between: char, digits: [usize; 3]) -> Option<(i64, i64, i64)> {
    let mut parts = text.split(between).zip(digits).map(|(part, digits)| {
        let plain = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| part.parse().ok()).flatten()
    });
    let numbers = (parts.next()??, parts.next()??, parts.next()??);
    (text.matches(between).count() == 2).then_some(numbers)
}

/// Seconds that a zone is ahead of UTC.
fn offset(zone: &str) -> Option<i64> {
    if zone.is_empty() || zone == "Z" {
        return Some(0);
    }
    let (sign, rest) = match zone.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, zone.strip_prefix('+')?),
    };
    let digits = rest.replacen(':', "", 1);
    if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes) = digits.split_at_checked(2)?;
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days of the proleptic Gregorian calendar, by years that begin in March so that the leap
/// day is their last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The other way round.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_become_utc() {
        let cases = [
            ("2025-07-18T08:58:35.782901", "2025-07-18T08:58:35Z", false),
            ("2025-06-27T12:45:00Z", "2025-06-27T12:45:00Z", true),
            ("2024-09-03 15:39:30", "2024-09-03T15:39:30Z", false),
            ("2025-12-31T23:30:00-01:00", "2026-01-01T00:30:00Z", true),
            ("2024-03-01T00:30:00+0100", "2024-02-29T23:30:00Z", true),
            ("2000-02-29T00:00:00", "2000-02-29T00:00:00Z", false),
            ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z", true),
        ];
        for (text, utc, zoned) in cases {
            let instant = Instant::parse(text).unwrap();
            assert_eq!((instant.to_string().as_str(), instant.zoned), (utc, zoned));
        }
        assert_eq!(
            Instant::parse("2025-07-18T20:00:00")
                .unwrap()
                .later(14)
                .to_string(),
            "2025-07-19T10:00:00Z"
        );
    }

    #[test]
    fn what_is_no_instant_is_none() {
        for text in [
            "",
            "yesterday",
            "2025-07-18",
            "2025-13-01T00:00:00",
            "2025-02-29T00:00:00",
            "2025-1-1T00:00:00",
            "2025-01-01T24:00:00",
            "2025-01-01T00:00",
            "2025-01-01T00:00:00.",
            "2025-01-01T00:00:00 PM",
            "2025-01-01T00:00:00+1",
            "2025-01-01T00:00:00+é00",
            "-025-01-01T00:00:00",
        ] {
            assert_eq!(Instant::parse(text), None, "{text}");
        }
    }
}
