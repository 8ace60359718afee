//! What SQL from the command line may do: read this file, and nothing else. SQLite asks
//! here about each thing that a statement would do, before it runs.

use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

use crate::error::Result;

/// Pragmas that report and change nothing, whatever their argument names.
const REPORTS: [&str; 13] = [
    "collation_list",
    "compile_options",
    "database_list",
    "foreign_key_check",
    "foreign_key_list",
    "function_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "integrity_check",
    "quick_check",
    "table_info",
    "table_xinfo",
];

/// Pragmas that report without an argument and change something with one.
const SETTINGS: [&str; 9] = [
    "application_id",
    "encoding",
    "freelist_count",
    "journal_mode",
    "page_count",
    "page_size",
    "schema_version",
    "table_list",
    "user_version",
];

/// From now on the connection refuses everything that isn't reading.
pub fn read_only(connection: &mut Connection) -> Result<()> {
    connection.authorizer(Some(|context: AuthContext<'_>| allowed(&context.action)))?;
    Ok(())
}

fn allowed(action: &AuthAction<'_>) -> Authorization {
    let reads = match action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => true,
        AuthAction::Function { function_name } => {
            !function_name.eq_ignore_ascii_case("load_extension")
        }
        AuthAction::Pragma {
            pragma_name,
            pragma_value,
        } => {
            let among = |names: &[&str]| {
                names
                    .iter()
                    .any(|name| name.eq_ignore_ascii_case(pragma_name))
            };
            among(&REPORTS) || (pragma_value.is_none() && among(&SETTINGS))
        }
        _ => false,
    };
    if reads {
        Authorization::Allow
    } else {
        Authorization::Deny
    }
}
