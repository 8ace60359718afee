//! Questions: a read-only connection in, typed answers out, and the policies that
//! decide them. An answer is a plain serialisable struct; rendering only prints it.
//!
//! To add a question: a `.sql` beside a `.rs`, and one command file in `src/cmd/`.

pub mod age;
pub mod audit;
pub mod axes;
pub mod cohorts;
pub mod entities;
pub mod error;
pub mod export;
pub mod filter;
pub mod floors;
pub mod hardware;
pub mod hash;
pub mod history;
pub mod info;
pub mod lookup;
pub mod metric;
mod parts;
pub mod policy;
pub mod records;
mod rows;
pub mod show;
pub mod sources;
pub mod speedups;
pub mod stale;
pub mod units;
pub mod view;

pub use error::{Error, Result};
pub use policy::work;
pub use rows::json_array;
