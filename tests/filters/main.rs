//! What users meet: the public surface of all filters, and files that were stored once. One program, so that the filters are
//! compiled once for all of it.

mod api;
mod batch;
mod chunks;
#[path = "../common/mod.rs"]
mod common;
mod errors;
mod every_filter;
mod facade;
mod golden;
mod replay;
mod seams;
