//! What `Disposition` (was it verified?) and `Status` (did it run?) make of a row.

use crate::Status;

/// A row's status, or which of the two words isn't known.
pub(super) fn verdict(disposition: &str, status: &str) -> Result<Status, &'static str> {
    let ran = match status {
        "success" => Status::Passed,
        "misaligned_operand" | "invalid_problem" | "not_supported" | "invalid" => Status::NotRun,
        "internal" => Status::RuntimeError,
        _ => return Err("Status"),
    };
    let verified = match disposition {
        // Verifying can be turned off, as who measures large problems does: nothing was found
        // wrong. The word is kept beside the figure.
        "passed" | "not_verified" => Status::Passed,
        "incorrect" => Status::Incorrect,
        "failed" => Status::Failed,
        "not_run" | "not_supported" | "invalid_problem" | "invalid" => Status::NotRun,
        _ => return Err("Disposition"),
    };
    // A kernel that didn't run is not verified either: the reason comes first.
    Ok(match (ran, verified) {
        (Status::Passed, verified) => verified,
        (ran, _) => ran,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ran_and_isnt_wrong_passed() {
        let cases = [
            ("passed", "success", Ok(Status::Passed)),
            ("not_verified", "success", Ok(Status::Passed)),
            ("incorrect", "success", Ok(Status::Incorrect)),
            ("failed", "success", Ok(Status::Failed)),
            ("not_run", "success", Ok(Status::NotRun)),
            ("passed", "internal", Ok(Status::RuntimeError)),
            ("failed", "internal", Ok(Status::RuntimeError)),
            ("not_run", "not_supported", Ok(Status::NotRun)),
            ("Passed", "success", Err("Disposition")),
            ("passed", "ok", Err("Status")),
            ("", "", Err("Status")),
        ];
        for (disposition, status, expected) in cases {
            assert_eq!(
                verdict(disposition, status),
                expected,
                "{disposition} {status}"
            );
        }
    }
}
