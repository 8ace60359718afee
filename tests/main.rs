//! End to end, through the binary: a module per command or concern. What is tested is
//! what a user sees: standard output, standard error, exit code, the file.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too, and says what it skips"
)]

mod cases;
mod commands;
mod concurrency;
mod database;
mod docs;
mod fixtures;
mod git;
mod history;
mod order;
mod readme;
mod real_data;
mod real_sources;
mod repository;
mod sandbox;
mod sql;
mod upgrade;
