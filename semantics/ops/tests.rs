//! To be filled with a row per operation.
