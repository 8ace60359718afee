//! End to end, through the binary: a module per command or concern. What is tested is
//! what a user sees: standard output, standard error, exit code, the file.

mod cases;
mod concurrency;
mod database;
mod order;
mod real_data;
mod sandbox;
