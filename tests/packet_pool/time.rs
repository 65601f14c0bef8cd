//! How the example tells the time, and the periods.

use crate::period::Periods;
use crate::stamp::Clock;
use std::time::Duration;

const SECOND: u64 = 1_000_000_000;

fn periods(times: &[u64]) -> Vec<u64> {
    let mut periods = Periods::new(Some(Duration::from_secs(10)));
    times
        .iter()
        .map(|&time| periods.of(time * SECOND))
        .collect()
}

#[test]
fn a_period_is_a_window_from_the_first_packet() {
    assert_eq!(periods(&[7, 8, 16, 17, 26, 27, 36]), [0, 0, 0, 1, 1, 2, 2]);
    // However far in it the packets are, the next one begins where it should.
    assert_eq!(periods(&[0, 15, 19, 20, 29, 30]), [0, 1, 1, 2, 2, 3]);
}

#[test]
fn without_a_window_all_is_one_period() {
    let mut periods = Periods::new(None);
    assert!(
        [0, SECOND, u64::MAX, 5]
            .iter()
            .all(|&time| periods.of(time) == 0)
    );
}

#[test]
fn a_pause_is_two_periods_however_long() {
    assert_eq!(
        periods(&[0, 20, 1_000_000_000, 1_000_000_009]),
        [0, 2, 4, 4]
    );
    let mut periods = Periods::new(Some(Duration::from_nanos(1)));
    assert_eq!(
        [0, u64::MAX, 0, u64::MAX].map(|time| periods.of(time)),
        [0, 2, 2, 2]
    );
}

#[test]
fn late_packets_are_of_the_present() {
    assert_eq!(periods(&[0, 10, 9, 11, 3, 20, 0]), [0, 1, 1, 1, 1, 2, 2]);
}

#[test]
fn a_wild_timestamp_does_not_stop_the_rotations() {
    let mut periods = Periods::new(Some(Duration::from_secs(10)));
    periods.of(0);
    assert_eq!(periods.of(1_000_000 * SECOND), 2);
    // The clock is what all the others say, once there are enough of them.
    let numbers: Vec<u64> = (0..5000).map(|time| periods.of(time * SECOND)).collect();
    assert_eq!(numbers[..1000], [2; 1000]);
    assert_eq!(numbers[4999], 2 + 399);
}

#[test]
fn clocks_that_differ_do_not_fight() {
    let mut periods = Periods::new(Some(Duration::from_secs(10)));
    for time in 0..5000 {
        assert_eq!(periods.of((100_000 + time) * SECOND), time / 10);
        assert_eq!(periods.of(time * SECOND), time / 10);
    }
}

#[test]
fn clocks_count_in_their_units() {
    assert_eq!(Clock::MICROSECONDS.split(3, 5), 3 * SECOND + 5_000);
    assert_eq!(Clock::NANOSECONDS.split(3, 5), 3 * SECOND + 5);
    assert_eq!(Clock::of_options(6, 0).units(3_000_005), 3 * SECOND + 5_000);
    assert_eq!(Clock::of_options(9, 2).units(5), 2 * SECOND + 5);
    assert_eq!(Clock::of_options(3, -2).units(5_000), 3 * SECOND);
    // Powers of two, and what no clock has.
    assert_eq!(Clock::of_options(0x80 | 10, 0).units(1536), 3 * SECOND / 2);
    assert_eq!(Clock::of_options(0x80 | 127, 0).units(u64::MAX), 0);
    assert_eq!(Clock::of_options(127, 0).units(u64::MAX), 0);
    assert_eq!(Clock::of_options(0, i64::MAX).units(u64::MAX), u64::MAX);
    assert_eq!(Clock::of_options(0, i64::MIN).units(5), 0);
}
