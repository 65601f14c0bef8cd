//! What a filter that rotates answers to early, late and many batches.

use super::*;
use std::hash::BuildHasher;

fn ring(keys: usize) -> Ring {
    Ring::new(keys, &RandomState::with_seed(7), None).expect("little memory")
}

/// The answers to a batch of a period that has these keys.
fn judge(ring: &Ring, period: u64, keys: impl IntoIterator<Item = u64>) -> Vec<Answer> {
    let mut scratch = Scratch::default();
    let hasher = ring.hasher();
    scratch.hashes = keys.into_iter().map(|key| hasher.hash_one(key)).collect();
    ring.begin(period);
    ring.answer_batch(&mut scratch);
    scratch.answers
}

#[test]
fn a_late_batch_is_judged_by_the_filter_as_it_is() {
    let ring = ring(100);
    assert_eq!(judge(&ring, 0, [1, 2]), [Answer::New; 2]);
    assert_eq!(judge(&ring, 1, [1]), [Answer::Known]);
    // Of period 0, but it does not rotate back, and refreshes the key for the generation of period 1.
    assert_eq!(judge(&ring, 0, [2, 3]), [Answer::Known, Answer::New]);
    assert_eq!(ring.generation(), 1);
    assert_eq!(judge(&ring, 2, [1, 2, 3]), [Answer::Known; 3]);
    // Forgotten before it came.
    assert_eq!(judge(&ring, 4, [9]), [Answer::New]);
    assert_eq!(judge(&ring, 1, [1, 1]), [Answer::New, Answer::Known]);
}

#[test]
fn a_batch_rotates_as_often_as_its_period_needs() {
    let ring = ring(100);
    let memory = |ring: &Ring| ring.filter.memory_usage();
    let at_first = memory(&ring);
    for period in [0, 1, 2, 4, 6, 7, 1_000, 1_002] {
        assert_eq!(judge(&ring, period, [period]), [Answer::New]);
        assert_eq!(ring.generation(), period);
    }
    assert_eq!(memory(&ring), at_first);
}

#[test]
fn workers_rotate_once_for_a_period() {
    let ring = ring(10_000);
    for period in 1..200 {
        let new = thread::scope(|scope| {
            let workers = [0; 4].map(|_| scope.spawn(|| judge(&ring, period, 0..100)));
            let answers = workers.map(|worker| worker.join().expect("no panic"));
            let all = answers.iter().flatten();
            all.filter(|&&answer| answer == Answer::New).count()
        });
        assert_eq!(ring.generation(), period);
        assert_eq!(new, if period == 1 { 100 } else { 0 }, "period {period}");
    }
}

#[test]
fn a_full_generation_answers_each_key() {
    let ring = ring(100);
    let answers = judge(&ring, 0, 0..1_000);
    let refused = answers.iter().position(|&answer| answer == Answer::Refused);
    let refused = refused.expect("room for 100") as u64;
    let slots = (ring.filter.slots() / GENERATIONS) as u64;
    assert!((100..=slots).contains(&refused), "{refused} of {slots}");
    assert!(ring.is_full());
    // The next packets only look, and say that what they find may leave too early.
    assert_eq!(
        judge(&ring, 0, [0, refused]),
        [Answer::Unrefreshed, Answer::Refused]
    );
    assert!(
        answers[refused as usize..]
            .iter()
            .all(|&answer| answer == Answer::Refused)
    );
    // A rotation makes room, and forgets nothing yet.
    assert_eq!(judge(&ring, 1, [0, refused]), [Answer::Known, Answer::New]);
    assert!(!ring.is_full());
    // The call for one key does the same.
    let one = |ring: &Ring, key: u64| ring.answer(ring.hasher().hash_one(key), &mut None);
    assert_eq!(
        [one(&ring, 0), one(&ring, 5_000)],
        [Answer::Known, Answer::New]
    );
}
