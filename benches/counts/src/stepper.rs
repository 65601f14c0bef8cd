//! The parent: steps through a child between its breakpoints, and counts.

use std::collections::{HashMap, HashSet};
use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::ops::{AddAssign, Range};
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};
use std::rc::Rc;

use iced_x86::{
    Decoder, DecoderOptions, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, Register,
    UsedMemory,
};
use nix::errno::Errno;
use nix::libc::user_regs_struct as Registers;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::ptrace;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

const LINE: u64 = 64;

/// The columns, in their order.
pub(crate) const COLUMNS: [&str; 7] = [
    "instructions",
    "loads",
    "stores",
    "locked",
    "library calls",
    "lines",
    "lines written",
];

/// The sums of some operations, in the order of the columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts(pub(crate) [u64; COLUMNS.len()]);

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        for (sum, count) in self.0.iter_mut().zip(other.0) {
            *sum += count;
        }
    }
}

/// Keeps the calling thread and the children that it starts on one processor. A child and its
/// parent take turns at each step, which is several times faster there.
pub(crate) fn stay_on_one_processor(number: usize) -> Result<(), Errno> {
    let this_thread = Pid::from_raw(0);
    let all = sched_getaffinity(this_thread)?;
    let allowed: Vec<usize> = (0..CpuSet::count())
        .filter(|&processor| all.is_set(processor) == Ok(true))
        .collect();
    let mut one = CpuSet::new();
    one.set(allowed[number % allowed.len()])?;
    sched_setaffinity(this_thread, &one)
}

/// Lets a child run an operation. Returns the counts, and the number of times that it ran.
pub(crate) fn count(filter: &str, operation: &str) -> Result<(Counts, u64), Box<dyn Error>> {
    let mut child = Command::new(env::current_exe()?)
        .args(["--child", filter, operation])
        .env("LOCKFREE_CUCKOO_PROCESSORS", "2")
        .stdin(Stdio::null())
        .spawn()?;
    let pid = Pid::from_raw(child.id().try_into()?);
    let outcome = follow(pid);
    if outcome.is_err() {
        child.kill()?;
        child.wait()?;
    }
    outcome
}

fn follow(pid: Pid) -> Result<(Counts, u64), Box<dyn Error>> {
    let (mut sum, mut times) = (Counts::default(), 0);
    let mut code = None;
    loop {
        match waitpid(pid, None)? {
            WaitStatus::Stopped(_, Signal::SIGTRAP) => {
                let code = match &mut code {
                    Some(code) => code,
                    None => code.insert(Code::of(pid)?),
                };
                sum += one_operation(pid, code)?;
                times += 1;
                // Continue past the second breakpoint, to the first one of the next operation.
                ptrace::cont(pid, None)?;
                waitpid(pid, None)?;
                ptrace::cont(pid, None)?;
            }
            WaitStatus::Exited(_, 0) => return Ok((sum, times)),
            other => return Err(format!("the child did not go on: {other:?}").into()),
        }
    }
}

/// Steps from one breakpoint to the next.
fn one_operation(pid: Pid, code: &mut Code) -> Result<Counts, Box<dyn Error>> {
    let mut counts = Counts::default();
    let [
        instructions,
        loads,
        stores,
        locked,
        calls,
        lines,
        lines_written,
    ] = &mut counts.0;
    let (mut touched, mut written) = (HashSet::new(), HashSet::new());
    let mut is_outside = false;
    loop {
        let registers = ptrace::getregs(pid)?;
        let was_outside = is_outside;
        is_outside = !code.program.contains(&registers.rip);
        if is_outside {
            *calls += u64::from(!was_outside);
        } else {
            let step = code.step(registers.rip)?;
            if step.is_breakpoint {
                *lines = touched.len() as u64;
                *lines_written = written.len() as u64;
                return Ok(counts);
            }
            *instructions += 1;
            *locked += u64::from(step.is_locked);
            for memory in &step.accesses {
                let [reads, writes] = kinds(memory.access());
                *loads += u64::from(reads);
                *stores += u64::from(writes);
                let address =
                    memory.virtual_address(0, |register, _, _| value(&registers, register));
                let address = address.ok_or("an address that is not known")?;
                // Skip constants: their addresses depend on the whole program.
                if !code.stack.contains(&address) && !code.program.contains(&address) {
                    touched.insert(address / LINE);
                    if writes {
                        written.insert(address / LINE);
                    }
                }
            }
        }
        ptrace::step(pid, None)?;
        match waitpid(pid, None)? {
            WaitStatus::Stopped(_, Signal::SIGTRAP) => {}
            other => return Err(format!("the child did not make a step: {other:?}").into()),
        }
    }
}

/// The properties of an instruction.
struct Step {
    is_breakpoint: bool,
    /// Whether it has a lock prefix, or acts as if it had one: the processor waits for its stores.
    is_locked: bool,
    accesses: Vec<UsedMemory>,
}

/// The code of a child.
struct Code {
    memory: File,
    /// The addresses of the program itself, without libraries.
    program: Range<u64>,
    stack: Range<u64>,
    known: HashMap<u64, Rc<Step>>,
    factory: InstructionInfoFactory,
}

impl Code {
    fn of(pid: Pid) -> Result<Self, Box<dyn Error>> {
        let maps = fs::read_to_string(format!("/proc/{pid}/maps"))?;
        let program = env::current_exe()?;
        let program = program.to_str().ok_or("a path that is no text")?;
        Ok(Self {
            memory: File::open(format!("/proc/{pid}/mem"))?,
            program: mapped(&maps, program).ok_or("no program")?,
            stack: mapped(&maps, "[stack]").ok_or("no stack")?,
            known: HashMap::new(),
            factory: InstructionInfoFactory::new(),
        })
    }

    fn step(&mut self, address: u64) -> Result<Rc<Step>, Box<dyn Error>> {
        if let Some(step) = self.known.get(&address) {
            return Ok(Rc::clone(step));
        }
        const LONGEST: usize = 15;
        let mut bytes = [0; LONGEST];
        self.memory.read_exact_at(&mut bytes, address)?;
        let instruction = Decoder::with_ip(64, &bytes, address, DecoderOptions::NONE).decode();
        let step = Rc::new(self.decoded(&instruction));
        self.known.insert(address, Rc::clone(&step));
        Ok(step)
    }

    fn decoded(&mut self, instruction: &Instruction) -> Step {
        let memory = self.factory.info(instruction).used_memory();
        let accesses = memory
            .iter()
            .filter(|memory| kinds(memory.access()) != [false; 2]);
        let accesses: Vec<UsedMemory> = accesses.copied().collect();
        let mnemonic = instruction.mnemonic();
        let exchanges = mnemonic == Mnemonic::Xchg && !accesses.is_empty();
        Step {
            is_breakpoint: mnemonic == Mnemonic::Int3,
            is_locked: instruction.has_lock_prefix() || exchanges || mnemonic == Mnemonic::Mfence,
            accesses,
        }
    }
}

/// Returns whether memory is read, and whether it is written to.
fn kinds(access: OpAccess) -> [bool; 2] {
    match access {
        OpAccess::Read | OpAccess::CondRead => [true, false],
        OpAccess::Write | OpAccess::CondWrite => [false, true],
        OpAccess::ReadWrite | OpAccess::ReadCondWrite => [true, true],
        OpAccess::None | OpAccess::NoMemAccess => [false, false],
    }
}

/// Returns the addresses at which a file is mapped, from the first byte to the last.
fn mapped(maps: &str, name: &str) -> Option<Range<u64>> {
    let lines = maps.lines().filter(|line| line.ends_with(name));
    let ranges = lines.filter_map(|line| {
        let (start, end) = line.split_once(' ')?.0.split_once('-')?;
        let number = |text| u64::from_str_radix(text, 16).ok();
        Some(number(start)?..number(end)?)
    });
    ranges.reduce(|all, range| all.start.min(range.start)..all.end.max(range.end))
}

/// Returns the content of a register that can be part of an address.
fn value(registers: &Registers, register: Register) -> Option<u64> {
    let value = match register.full_register() {
        Register::RAX => registers.rax,
        Register::RBX => registers.rbx,
        Register::RCX => registers.rcx,
        Register::RDX => registers.rdx,
        Register::RSI => registers.rsi,
        Register::RDI => registers.rdi,
        Register::RBP => registers.rbp,
        Register::RSP => registers.rsp,
        Register::R8 => registers.r8,
        Register::R9 => registers.r9,
        Register::R10 => registers.r10,
        Register::R11 => registers.r11,
        Register::R12 => registers.r12,
        Register::R13 => registers.r13,
        Register::R14 => registers.r14,
        Register::R15 => registers.r15,
        Register::FS => registers.fs_base,
        Register::GS => registers.gs_base,
        Register::CS | Register::DS | Register::ES | Register::SS => 0,
        _ => return None,
    };
    Some(value)
}
