//! The logs of the bench: each accepts every token once, and the table has all of them.

use std::time::Duration;

#[path = "../benches/tokens/logs.rs"]
mod logs;

use logs::{LOGS, measure, present, tokens};

#[test]
fn each_log_accepts_each_token_once() {
    let tokens = tokens(20_000);
    for (name, make) in LOGS {
        let (log, _) = make(tokens.len());
        let accepted = present(&*log, &tokens);
        assert!((19_900..=20_000).contains(&accepted), "{name}: {accepted}");
        assert!(present(&*log, &tokens) == 0, "{name}");
    }
}

#[test]
fn the_table_has_all_logs() {
    let table = measure(&tokens(2_000), &[1, 3, 16], Duration::ZERO);
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|row| row.split(" | ").collect())
        .collect();
    // The head, the line below it, and the logs.
    assert_eq!(rows.len(), 2 + LOGS.len(), "{table}");
    assert_eq!(
        rows[0][2..5],
        ["M/s, 1 thread", "M/s, 3 threads", "M/s, 16 threads"]
    );
    for (row, (name, _)) in rows[2..].iter().zip(LOGS) {
        assert_eq!((row[0], row.len()), (&*format!("| {name}"), 6), "{table}");
    }
}
