//! Processes that are killed before an access to memory that they share, one for each access of a
//! call. The survivors are blocked by nothing, the call had its whole effect or none, and recovery
//! takes back all that the dead process held; also if the process that recovers is killed.
#![cfg(lockfree_cuckoo_steps)]

mod windows;

use lockfree_cuckoo::filter::Fixed;
use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::testing::hooks::{Fate, access, stepping};
use lockfree_cuckoo::{CuckooFilter, SharedFilter};
use model::Layout;
use model::geometry::Geometry;
use nix::libc::_exit;
use nix::sys::signal::{Signal, raise};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, fork};
use step_tests::{Playing, bounded};

/// In a table of two buckets: the first candidate, and the fingerprint.
const fn hash(first: u64, fingerprint: u64) -> u64 {
    first << 63 | fingerprint
}

const ITEM: u64 = hash(0, 0x1111);
const OTHERS: [u64; 3] = [hash(0, 0x22), hash(1, 0x33), hash(1, 0x44)];

/// In a table of four buckets these leave two slots of 16, and none in the pair of [`LATE`]. Found by
/// trying.
const FULL: [u64; 14] = {
    let mut items = [0; 14];
    let mut at = 0;
    while at < items.len() {
        items[at] = spread(300 + at as u64);
        at += 1;
    }
    items
};
const LATE: u64 = spread(350);

const fn spread(number: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn table(buckets: usize) -> SharedFilter {
    let builder = CuckooFilter::builder()
        .buckets(buckets)
        .search_budget(16)
        .seed(1);
    builder.build_shared().expect("memory")
}

/// Runs a call in a child, which is killed before an access, counted from 0. Returns false if the
/// call has no such access.
fn killed_before(access: usize, call: impl FnOnce()) -> bool {
    killed(move |step| step == access, call)
}

/// Runs a call in a child, which is killed before it writes for this time, counted from 0. Whatever
/// it reads between two writes, it leaves the same. Returns false if the call writes less often.
fn killed_before_write(mut write: usize, call: impl FnOnce()) -> bool {
    let dies = move |_| {
        let writes = access().is_some_and(|access| access.writes);
        let dies = writes && write == 0;
        write = write.wrapping_sub(usize::from(writes));
        dies
    };
    killed(dies, call)
}

fn killed(mut dies: impl FnMut(usize) -> bool + 'static, call: impl FnOnce()) -> bool {
    #[allow(unsafe_code, reason = "a fork")]
    // SAFETY: no other thread of this process has a lock that the child takes: they wait for the
    // test.
    match unsafe { fork() }.expect("a process") {
        ForkResult::Child => {
            let die = move |step| {
                if dies(step) {
                    let _ = raise(Signal::SIGKILL);
                }
                Fate::Goes
            };
            let ended = stepping(die, call).0.is_some();
            #[allow(unsafe_code, reason = "an end without destructors of the parent")]
            // SAFETY: nothing is left to be done.
            unsafe {
                _exit(i32::from(!ended))
            }
        }
        ForkResult::Parent { child } => match waitpid(child, None).expect("a child") {
            WaitStatus::Signaled(_, Signal::SIGKILL, _) => true,
            WaitStatus::Exited(_, 0) => false,
            status => panic!("the call ended with {status:?}"),
        },
    }
}

/// Kills a call on a new filter before each of its accesses in turn, and checks what is left. It
/// makes at least so many.
fn at_each_access<F>(
    (name, least): (&str, usize),
    filter: impl Fn() -> F,
    call: fn(&F),
    check: impl Fn(&F),
) {
    let mut scenes = 0;
    for access in 0.. {
        let _playing = Playing(format!("{name}, killed before access {access}"));
        let filter = filter();
        let killed = killed_before(access, || call(&filter));
        check(&filter);
        if !killed {
            break;
        }
        scenes += 1;
    }
    assert!(scenes >= least, "{name}: only {scenes} accesses");
}

/// Kills a call before each of its writes, and then the recovery before each of its own.
fn at_each_write_of_a_recovery<F>(
    name: &str,
    filter: impl Fn() -> F,
    call: fn(&F),
    recover: fn(&F) -> usize,
    check: impl Fn(&F),
) {
    for write in 0.. {
        let mut killed = false;
        for then in 0.. {
            let _playing = Playing(format!(
                "{name}, killed before write {write}, and its recovery before write {then}"
            ));
            let filter = filter();
            killed = killed_before_write(write, || call(&filter));
            let killed_too = killed_before_write(then, || _ = recover(&filter));
            check(&filter);
            if !killed_too {
                break;
            }
        }
        if !killed {
            break;
        }
    }
}

/// A call of one process on an item, and what it may change.
struct Scene {
    name: &'static str,
    /// The items that are there before, and the buckets.
    before: &'static [u64],
    buckets: usize,
    call: fn(&SharedFilter),
    item: u64,
    /// The copies of the item before and after.
    copies: [usize; 2],
    /// It makes at least so many: so the scene is what its name says.
    accesses: usize,
}

fn filled(scene: &Scene) -> SharedFilter {
    let filter = table(scene.buckets);
    for &item in scene.before {
        filter.insert_hash(item).expect("room");
    }
    filter
}

/// Checks what the survivors find, before recovery and after it.
fn check(scene: &Scene, filter: &SharedFilter) {
    // Others are not blocked, and the call had its effect or had not.
    let copies = bounded(|| filter.count_hash(scene.item));
    assert!(scene.copies.contains(&copies), "{copies} copies");
    for &item in scene.before {
        assert!(
            item == scene.item || bounded(|| filter.contains_hash(item)),
            "lost"
        );
    }
    let probe = hash(1, 0x7777);
    bounded(|| filter.insert_unique_hash(probe)).expect("room");
    assert!(bounded(|| filter.remove_hash(probe)));
    // What it held is taken back, once.
    bounded(|| filter.recover());
    assert_eq!(bounded(|| filter.recover()), 0);
    assert_eq!(filter.claimed(), 0, "descriptors that no one uses");
    // No word has a reference to it any more: the next use does not disturb any.
    bounded(|| filter.insert_unique_hash(probe)).expect("room");
    assert!(bounded(|| filter.remove_hash(probe)));
    let copy = bounded(|| filter.snapshot()).expect("no one scans");
    let others = scene.before.iter().filter(|&&item| item != scene.item);
    assert_eq!(
        copy.taken(),
        copies + others.clone().count(),
        "lost or invented"
    );
    assert_eq!(bounded(|| filter.count_hash(scene.item)), copies);
    // And all of it can be removed.
    let all = others.chain(std::iter::repeat_n(&scene.item, copies));
    for &item in all {
        assert!(bounded(|| filter.remove_hash(item)));
    }
    assert_eq!(filter.taken(), 0);
}

const SCENES: &[Scene] = &[
    Scene {
        name: "an insert",
        before: &OTHERS,
        buckets: 2,
        call: |filter| drop(filter.insert_hash(ITEM)),
        item: ITEM,
        copies: [0, 1],
        accesses: 4,
    },
    Scene {
        name: "a check-and-insert of an absent item",
        before: &OTHERS,
        buckets: 2,
        call: |filter| drop(filter.insert_unique_hash(ITEM)),
        item: ITEM,
        copies: [0, 1],
        accesses: 20,
    },
    Scene {
        name: "a check-and-insert of a stored item",
        before: &[ITEM],
        buckets: 2,
        call: |filter| drop(filter.insert_unique_hash(ITEM)),
        item: ITEM,
        copies: [1, 1],
        accesses: 2,
    },
    Scene {
        name: "a remove",
        before: &[ITEM, OTHERS[0]],
        buckets: 2,
        call: |filter| _ = filter.remove_hash(ITEM),
        item: ITEM,
        copies: [1, 0],
        accesses: 4,
    },
    Scene {
        name: "a remove of one of two copies",
        before: &[ITEM, ITEM],
        buckets: 2,
        call: |filter| _ = filter.remove_hash(ITEM),
        item: ITEM,
        copies: [2, 1],
        accesses: 5,
    },
    Scene {
        name: "a hop",
        before: &[ITEM, OTHERS[1]],
        buckets: 2,
        call: |filter| _ = filter.relocate_hash(ITEM),
        item: ITEM,
        copies: [1, 1],
        accesses: 20,
    },
    Scene {
        name: "an insert by a path",
        before: &FULL,
        buckets: 4,
        call: |filter| drop(filter.insert_hash(LATE)),
        item: LATE,
        copies: [0, 1],
        accesses: 25,
    },
    Scene {
        name: "a check-and-insert into a full pair",
        before: &FULL,
        buckets: 4,
        call: |filter| drop(filter.insert_unique_hash(LATE)),
        item: LATE,
        copies: [0, 1],
        accesses: 40,
    },
    Scene {
        name: "a snapshot",
        before: &[ITEM, OTHERS[0], OTHERS[1]],
        buckets: 2,
        call: |filter| drop(filter.snapshot()),
        item: ITEM,
        copies: [1, 1],
        accesses: 100,
    },
    Scene {
        name: "a recovery that has nothing to do",
        before: &[ITEM],
        buckets: 2,
        call: |filter| _ = filter.recover(),
        item: ITEM,
        copies: [1, 1],
        accesses: 1024,
    },
    Scene {
        name: "an attachment",
        before: &[ITEM],
        buckets: 2,
        call: |filter| drop(SharedFilter::<Fixed>::attach(filter)),
        item: ITEM,
        copies: [1, 1],
        accesses: 1024,
    },
];

#[test]
fn a_process_is_killed_at_each_access() {
    for scene in SCENES {
        at_each_access(
            (scene.name, scene.accesses),
            || filled(scene),
            scene.call,
            |filter| check(scene, filter),
        );
    }
}

/// The recovery comes before any other call has met the words that the dead process froze. Then the
/// descriptor is used for other words.
#[test]
fn what_is_recovered_is_used_again() {
    let geometry = Geometry::with_buckets(Layout::DEFAULT, 4);
    let class = |hash| geometry.class(hash);
    let pair = |hash| [class(hash).low, class(hash).high];
    let beside = |&hash: &u64| pair(hash) == pair(LATE) && class(hash) != class(LATE);
    let neighbours: Vec<u64> = (0..).map(spread).filter(beside).take(3).collect();
    let apart = |&hash: &u64| pair(hash).iter().all(|bucket| !pair(LATE).contains(bucket));
    let other = (0..).map(spread).find(apart).expect("there are some");
    let filled = |hops: bool| {
        let filter = table(4);
        for &item in neighbours.iter().chain(hops.then_some(&LATE)) {
            filter.insert_hash(item).expect("room");
        }
        filter
    };
    let mut orders = geometry.both_orders(class(LATE)).into_iter();
    let mover = orders.find(|&hash| filled(true).relocate_hash(hash));
    let mover = mover.expect("it is in one of the two");
    for hops in [false, true] {
        for access in 0.. {
            let _playing = Playing(format!("a hop: {hops}, killed before access {access}"));
            let filter = filled(hops);
            let killed = killed_before(access, || match hops {
                true => _ = filter.relocate_hash(mover),
                false => drop(filter.insert_unique_hash(LATE)),
            });
            bounded(|| filter.recover());
            for _ in 0..4 {
                assert_eq!(bounded(|| filter.insert_unique_hash(other)), Ok(true));
                assert!(bounded(|| filter.remove_hash(other)));
            }
            let copies = bounded(|| filter.count_hash(LATE));
            assert!(copies == 1 || !hops && copies == 0, "{copies} copies");
            for &item in &neighbours {
                assert!(bounded(|| filter.remove_hash(item)), "lost");
            }
            if !killed {
                assert!(access >= 20, "only {access} accesses");
                break;
            }
        }
    }
}

/// One is killed in a call, another one while it takes back what that held, and a third does it.
#[test]
fn a_recovery_is_killed_at_each_write() {
    for scene in SCENES {
        at_each_write_of_a_recovery(
            scene.name,
            || filled(scene),
            scene.call,
            SharedFilter::recover,
            |filter| check(scene, filter),
        );
    }
}
