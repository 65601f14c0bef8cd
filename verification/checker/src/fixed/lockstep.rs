//! Lockstep: runs the crate access by access, on schedules of the machine.
//!
//! In a build with `--cfg lockfree_cuckoo_steps` a thread of the crate can be stopped before each
//! access. Random programs run on both, on random schedules: for each step of the machine the
//! thread of that number makes one access. Each call must return after the same access with the
//! same result, and the words must be equal at the end. So the machine makes as many accesses as
//! the crate, and in an order with the same results.
//!
//! Programs leave out the deliberate differences: snapshots, because the crate has more stripes to
//! announce them in; recoveries, because its threads are no processes; tokens that share a stripe
//! in only one of the two; and a choice between descriptors.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Instant;

use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo::testing::hooks::{Fate, stepping};

use crate::explore;
use crate::fixed::conformance::{self, ATTEMPTS, Subject, each_seed, of_values};
use crate::fixed::memory::{Answer, BUCKETS};
use crate::fixed::mutants::Mutant;
use crate::fixed::program::{self, Call, Fixed, Item, Program};
use crate::fixed::views::World;
use crate::monitor::Monitor;
use crate::notation::Kind;
use crate::parts::{Outcome, grouped};
use crate::random::Random;
use crate::shared::STRIPES;

type Setting<'a> = explore::Setting<'a, Fixed>;
type State = explore::State<Fixed>;

/// The accesses of an insert into an empty table before it counts: two loads and an exchange.
const BEFORE_THE_COUNT: usize = 3;

/// The cells of the counter of a table as small as these.
const CELLS: usize = 4;

/// A message from a thread of the crate.
enum News {
    /// The thread is about to make an access.
    Ready,
    /// A call has returned.
    Returned(Answer),
}

/// A thread of the crate, as its leader sees it.
struct Led {
    go: Sender<()>,
    news: Receiver<News>,
    /// Whether it has reported that it is ready, and waits.
    ready: bool,
    /// The number of accesses by which it changes the counter.
    counting: usize,
}

/// Compares the machine and the crate in lockstep.
pub fn part(valued: bool, seed: u64, programs: usize) -> Outcome {
    const SCHEDULES: usize = 5;
    let start = Instant::now();
    let accesses = each_seed(seed, programs, |seed| {
        compare(None, valued, seed, SCHEDULES)
    })?;
    let suited = accesses.iter().filter(|&&accesses| accesses > 0).count();
    Ok(format!(
        "lockstep{}: {} programs, {} schedules, {} accesses, made alike by the crate ({:.1} s)",
        of_values(valued),
        grouped(suited),
        grouped(suited * SCHEDULES),
        grouped(accesses.iter().sum()),
        start.elapsed().as_secs_f64()
    ))
}

/// Defective machines that the monitor seldom notices, whether they need values, and enough random
/// programs to find them: one makes an access too few, one gives an answer that only a race
/// changes, and the last does not distinguish values.
const MUTANTS: [(Mutant, bool, u64); 3] = [
    (Mutant::RelocationBumpsNothing, false, 300),
    (Mutant::RefusalIgnoresRoom, false, 4_000),
    (Mutant::TwinOfAnotherValueIsNone, true, 300),
];

/// Runs the defective machines in lockstep with the crate.
pub fn mutants() -> Outcome {
    /// With fewer, the seeds would decide.
    const LEAST: usize = 10;
    let start = Instant::now();
    for (mutant, valued, programs) in MUTANTS {
        let differs = |seed: &u64| {
            compare(Some(mutant), valued, *seed, 3).is_err_and(|why| why.contains("the crate"))
        };
        let found = (0..programs).filter(differs).count();
        if found < LEAST {
            return Err(format!(
                "{mutant:?} is found out by {found} of {programs} programs in lockstep"
            ));
        }
    }
    Ok(format!(
        "lockstep mutants: {} found out ({:.1} s)",
        MUTANTS.len(),
        start.elapsed().as_secs_f64()
    ))
}

/// Runs one random program on several schedules. Returns the number of accesses, 0 if the program
/// is not suitable; the error is the step at which the two differ.
fn compare(
    mutant: Option<Mutant>,
    valued: bool,
    seed: u64,
    schedules: usize,
) -> Result<usize, String> {
    let random = &mut Random::new(seed);
    let mut program = program::programs(valued, seed, 1).remove(0);
    program.shape.descriptors = 1;
    program.shape.attempts = ATTEMPTS;
    program.shape.torn = true;
    if !suits(&program) {
        return Ok(0);
    }
    if random.below(2) == 0 {
        fill_up(random, &mut program);
    }
    let mut setting = Setting::new(&program, mutant);
    setting.shows = true;
    (0..schedules).map(|_| lead(&setting, random)).sum()
}

fn suits(program: &Program) -> bool {
    let mut owners = [None; STRIPES];
    let sole = program.classes().iter().all(|class| {
        let owner = &mut owners[class.f as usize % STRIPES];
        *owner.get_or_insert(class.f) == class.f
    });
    let mut calls = program.threads.iter().flatten();
    sole && calls.all(|call| call.kind.has_item())
}

/// Fills every slot with a token of a class that the program knows: most inserts are refused,
/// unless another thread makes room in time.
fn fill_up(random: &mut Random, program: &mut Program) {
    let classes = program.classes();
    for bucket in 0..program.shape.buckets as u8 {
        let in_order = |&class: &Item| [class, class.flipped()];
        let items = classes.iter().flat_map(in_order);
        let here: Vec<Item> = items.filter(|item| item.first == bucket).collect();
        let fill = &mut program.fill;
        let tokens = fill.iter().filter(|(item, _)| item.first == bucket);
        if !here.is_empty() {
            let missing = tokens.count()..program.shape.layout.slots;
            fill.extend(missing.map(|_| (random.pick(&here), 0)));
        }
    }
    program.fill.sort();
}

/// Runs both on one random schedule.
fn lead(setting: &Setting<'_>, random: &mut Random) -> Result<usize, String> {
    let program = setting.program;
    let mut filter = filled(program, &setting.world)?;
    let steps = thread::scope(|scope| {
        let mut threads: Vec<Led> = program
            .threads
            .iter()
            .map(|calls| {
                let (go, wait) = channel();
                let (tell, news) = channel();
                let (filter, world) = (&*filter, &setting.world);
                let (tell_counting, counting) = channel();
                scope.spawn(move || {
                    let _ = tell_counting.send(accesses_of_a_count());
                    follow(world, filter, calls, wait, tell);
                });
                Led {
                    go,
                    news,
                    ready: false,
                    counting: counting.recv().expect("the thread counts first"),
                }
            })
            .collect();
        let outcome = in_step(setting, &mut threads, random);
        // Calls that are still under way run to their end.
        threads.clear();
        outcome
    });
    let (steps, state) = steps.map_err(|why| format!("{program}: {why}"))?;
    let words = filter.words();
    if words != state.memory.words[..program.shape.buckets] {
        return Err(format!("{program}: other words in the end: {words:x?}"));
    }
    Ok(steps)
}

fn in_step(
    setting: &Setting<'_>,
    threads: &mut [Led],
    random: &mut Random,
) -> Result<(usize, State), String> {
    let monitor = &mut Monitor::default();
    let mut state = setting.start(monitor);
    let mut steps = 0;
    loop {
        let ready = (0..threads.len()).filter(|&thread| state.is_under_way(thread));
        let ready: Vec<usize> = ready.collect();
        if ready.is_empty() {
            return Ok((steps, state));
        }
        let id = random.pick(&ready);
        // Some schedules consist of long runs, others of short ones.
        for _ in 0..random.pick(&[1, 1, 2, 5, 20]) {
            if !state.is_under_way(id) {
                break;
            }
            let finished = usize::from(state.threads[id].finished);
            let kind = setting.program.threads[id][finished].kind;
            let (step, verdict) = setting.step(&mut state, monitor, id);
            verdict?;
            steps += 1;
            let accesses = 1 + step.made.besides;
            let counting = counting(kind, step.answer, threads[id].counting);
            let returned = threads[id].make(accesses + counting);
            if returned != step.answer {
                return Err(format!(
                    "step {steps}, thread {id}, {}: the machine returns {:?}, the crate {returned:?}",
                    step.made.text, step.answer
                ));
            }
        }
    }
}

/// Returns the number of accesses to the counter of items by a call before it returns, if its thread
/// makes this number to change it: by the thread's number, it writes a cell of its own, by two
/// accesses, or one that threads share.
fn counting(kind: Kind, answer: Option<Answer>, change: usize) -> usize {
    let changes = match (kind, answer) {
        (Kind::Insert | Kind::Remove | Kind::Take | Kind::Unique, Some(Answer::Bool(changed))) => {
            changed
        }
        (Kind::UniqueValue, Some(Answer::Value(found))) => found.is_none(),
        // The error has the number of items.
        (_, Some(Answer::Full)) => return CELLS,
        _ => false,
    };
    usize::from(changes) * change
}

/// Returns the number of accesses by which this thread changes the counter of a small table.
fn accesses_of_a_count() -> usize {
    let filter = CuckooFilter::with_capacity(1);
    let (_, accesses) = stepping(|_| Fate::Goes, || filter.insert_hash(1).expect("room"));
    accesses - BEFORE_THE_COUNT
}

impl Led {
    /// Lets the thread make this number of accesses. Returns the result of its call, if it has
    /// returned.
    fn make(&mut self, accesses: usize) -> Option<Answer> {
        for _ in 0..accesses {
            self.allow()?;
        }
        match self.news.recv().ok()? {
            News::Returned(answer) => Some(answer),
            News::Ready => {
                self.ready = true;
                None
            }
        }
    }

    /// Lets it make the access before which it stops, or will stop.
    fn allow(&mut self) -> Option<()> {
        if !std::mem::take(&mut self.ready) && matches!(self.news.recv().ok()?, News::Returned(_)) {
            return None;
        }
        self.go.send(()).ok()
    }
}

/// Runs the thread of the crate.
fn follow(
    world: &World,
    filter: &dyn Subject,
    calls: &[Call],
    wait: Receiver<()>,
    tell: Sender<News>,
) {
    let ready = tell.clone();
    let on_step = move |_| {
        // When its leader is gone, it goes on by itself.
        let _ = ready.send(News::Ready);
        let _ = wait.recv();
        Fate::Goes
    };
    stepping(on_step, || {
        for &call in calls {
            let answer = filter.call(world, call);
            let _ = tell.send(News::Returned(answer));
        }
    });
}

/// Returns a filter with the initial tokens of the program, each in its place.
fn filled(program: &Program, world: &World) -> Result<Box<dyn Subject>, String> {
    let mut filter = conformance::empty(&program.shape)?;
    let mut expected = [0; BUCKETS];
    let layout = program.shape.layout;
    for &(item, value) in &program.fill {
        let word = &mut expected[usize::from(item.first)];
        *word = layout
            .with(*word, layout.token(item.f, value))
            .ok_or("the tokens of a program fit its buckets")?;
        let mut insert = Call::new(Kind::Insert, item);
        insert.value = value;
        filter.call(world, insert);
        if filter.words()[usize::from(item.first)] != *word {
            // It went to the other bucket, which was emptier. The new copy is the one that moves.
            let back = Call::new(Kind::Move, item.flipped());
            filter.call(world, back);
        }
    }
    if filter.words() != expected[..program.shape.buckets] {
        return Err(format!("{program}: the tokens cannot be placed"));
    }
    Ok(filter)
}
