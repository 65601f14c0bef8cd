//! Nonces that are accepted once, also by the next process: the service keeps those that were used
//! in memory that systemd keeps for it. `kill -9` loses none of them.
//!
//! Without arguments the program plays the part of systemd itself: it starts the service, keeps its
//! memory, kills it, starts it again, and checks that no nonce is accepted twice.
//!
//! `cargo run --release --features shared --example survive_restart`
//!
//! As a service of systemd, of version 246 or later:
//!
//! ```ini
//! [Service]
//! Type=notify
//! ExecStart=/usr/local/bin/survive_restart serve
//! RuntimeDirectory=survive_restart
//! Restart=always
//! # Keep one descriptor while the service is not running.
//! FileDescriptorStoreMax=1
//! # Keep it also over `systemctl stop` and `start`: version 254 or later.
//! FileDescriptorStorePreserve=yes
//! ```
//!
//! What is said between the two:
//!
//! | when | who | what |
//! |---|---|---|
//! | first start | service | makes the memory, and sends `FDSTORE=1`, `FDNAME=used` and the descriptor to the socket in `NOTIFY_SOCKET` |
//! | | service | sends `BARRIER=1` with the end of a pipe, and waits until systemd has closed it |
//! | each start | service | sends `READY=1`, and accepts nonces |
//! | each further start | systemd | gives the memory as descriptor 3, with `LISTEN_PID`, `LISTEN_FDS=1` and `LISTEN_FDNAMES=used` |

use lockfree_cuckoo::{Filter, RotationClock, SharedFilter, filter::Rotating, layout::Lanes};
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, UnixAddr, recvmsg, sendmsg};
use std::collections::HashSet;
use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, IoSlice, IoSliceMut, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command};
use std::thread;
use std::time::{Duration, Instant};

type Failure = Box<dyn Error + Send + Sync>;

/// See `use_once` for the layout and the generations.
type Engine = Rotating<Lanes<2, 31>>;

type Used = SharedFilter<Engine>;

/// How long a nonce is valid.
const LIFETIME: Duration = Duration::from_secs(300);

/// Nonces that are used in one lifetime.
const NONCES: usize = 100_000;

/// The name of the descriptor.
const NAME: &str = "used";

/// The service: accepts each nonce that a client sends once.
fn serve() -> Result<(), Failure> {
    let used = match kept_memory()? {
        // An error if it is of another version of the library. Whoever makes new memory instead must
        // change the key first: what was used would be accepted again.
        Some(memory) => Used::attach(memory)?,
        None => {
            let builder = Filter::<Engine>::builder().capacity(NONCES);
            let used = builder.build_shared()?;
            // Before a nonce is accepted, it must be certain that the next process has the memory.
            notify(&format!("FDSTORE=1\nFDNAME={NAME}"), Some(used.as_fd()))?;
            wait_until_kept()?;
            used
        }
    };
    println!("service {}: {} nonces were used", process::id(), used.len());
    let path = socket_path(Path::new(
        &env::var_os("RUNTIME_DIRECTORY").ok_or("no RUNTIME_DIRECTORY")?,
    ));
    // That of the last process.
    let _ = fs::remove_file(&path);
    let socket = UnixListener::bind(path)?;
    notify("READY=1", None)?;
    thread::scope(|scope| {
        scope.spawn(|| rotate(&used));
        for client in socket.incoming() {
            let (client, used) = (client?, &used);
            // A client that goes away is no error.
            scope.spawn(move || answer(used, client));
        }
        Ok(())
    })
}

/// Forgets the nonces that have expired. The clock of each process begins anew: so a restart makes
/// a period longer, and no nonce is forgotten early.
fn rotate(used: &Used) {
    let start = Instant::now();
    let mut clock = RotationClock::new(LIFETIME, start.elapsed());
    loop {
        thread::sleep(clock.until_due(start.elapsed()));
        if let Err(error) = used.rotate_if_due(&mut clock, || start.elapsed()) {
            println!("tried again at once: {error}");
        }
    }
}

fn answer(used: &Used, client: UnixStream) -> io::Result<()> {
    let mut answers = client.try_clone()?;
    for nonce in BufReader::new(client).split(b'\n') {
        // The same hash in every program and release, because the memory outlives this one.
        let hash = used.hasher().hash_bytes(&nonce?);
        let answer = match used.insert_unique_hash(hash) {
            Ok(true) => "accepted\n",
            Ok(false) => "used\n",
            Err(_) => "full\n", // refused too
        };
        // A process that ends here has accepted the nonce, and nobody knows. The client takes
        // another one.
        answers.write_all(answer.as_bytes())?;
    }
    Ok(())
}

fn socket_path(directory: &Path) -> PathBuf {
    directory.join("nonces")
}

/// The memory that the service manager has kept, if this is not the first process.
fn kept_memory() -> io::Result<Option<File>> {
    let text = |name| env::var(name).unwrap_or_default();
    if text("LISTEN_PID") != process::id().to_string() {
        return Ok(None); // not meant for this process
    }
    let count = text("LISTEN_FDS").parse().unwrap_or(0);
    let names = text("LISTEN_FDNAMES");
    let Some(at) = names.split(':').take(count).position(|name| name == NAME) else {
        return Ok(None);
    };
    // The first one is descriptor 3. It is opened anew.
    let path = format!("/proc/self/fd/{}", 3 + at);
    File::options().read(true).write(true).open(path).map(Some)
}

/// Sends a message to the service manager, with a descriptor.
fn notify(text: &str, descriptor: Option<BorrowedFd<'_>>) -> Result<(), Failure> {
    let manager = env::var_os("NOTIFY_SOCKET").ok_or("no NOTIFY_SOCKET: start it by systemd")?;
    let manager = match manager.as_bytes() {
        [b'@', name @ ..] => UnixAddr::new_abstract(name)?,
        path => UnixAddr::new(path)?,
    };
    let numbers: Vec<_> = descriptor.iter().map(AsRawFd::as_raw_fd).collect();
    let control = [ControlMessage::ScmRights(&numbers)];
    let control = &control[..usize::from(descriptor.is_some())];
    let message = [IoSlice::new(text.as_bytes())];
    let socket = UnixDatagram::unbound()?;
    let number = socket.as_raw_fd();
    sendmsg(number, &message, control, MsgFlags::empty(), Some(&manager))?;
    Ok(())
}

/// Waits until the service manager has read all messages before.
fn wait_until_kept() -> Result<(), Failure> {
    let (mut ours, theirs) = io::pipe()?;
    notify("BARRIER=1", Some(theirs.as_fd()))?;
    drop(theirs);
    // Their end is closed when they have read the message.
    ours.read_to_end(&mut Vec::new())?;
    Ok(())
}

/// The part of systemd.
struct Manager {
    directory: PathBuf,
    messages: UnixDatagram,
    /// The descriptor that the service has asked to keep.
    kept: Option<OwnedFd>,
}

/// The service, as the manager sees it. It ends when this is dropped.
struct Service(Child);

impl Manager {
    fn new() -> io::Result<Self> {
        let name = format!("lockfree-cuckoo-survive-{}", process::id());
        let directory = env::temp_dir().join(name);
        fs::create_dir(&directory)?;
        let messages = UnixDatagram::bind(directory.join("notify"))?;
        messages.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Self {
            directory,
            messages,
            kept: None,
        })
    }

    /// Starts the service, and waits until it is ready.
    fn start(&mut self) -> Result<Service, Failure> {
        let program = env::current_exe()?;
        let mut command = match &self.kept {
            None => Command::new(program),
            // The shell makes it descriptor 3, and then becomes the service.
            Some(kept) => {
                let mut shell = Command::new("sh");
                let line = r#"exec 3<&0 </dev/null; export LISTEN_PID=$$; exec "$0" "$@""#;
                shell.args([OsString::from("-c"), line.into(), program.into()]);
                shell.stdin(kept.try_clone()?);
                shell.env("LISTEN_FDS", "1").env("LISTEN_FDNAMES", NAME);
                shell
            }
        };
        command.arg("serve");
        command.env("NOTIFY_SOCKET", self.directory.join("notify"));
        command.env("RUNTIME_DIRECTORY", &self.directory);
        let service = Service(command.spawn()?);
        while !self.read_message()?.contains("READY=1") {}
        Ok(service)
    }

    /// Reads a message of the service, and keeps the descriptor that comes with it if it says so.
    fn read_message(&mut self) -> Result<String, Failure> {
        let mut text = [0; 4096];
        let mut space = nix::cmsg_space!([i32; 1]);
        let mut parts = [IoSliceMut::new(&mut text)];
        let number = self.messages.as_raw_fd();
        let flags = MsgFlags::MSG_CMSG_CLOEXEC;
        let message = recvmsg::<()>(number, &mut parts, Some(&mut space), flags)?;
        let mut descriptor = None;
        for control in message.cmsgs()? {
            if let ControlMessageOwned::ScmRights(numbers) = control {
                for number in numbers {
                    #[allow(unsafe_code, reason = "a descriptor comes as a number")]
                    // SAFETY: it has just been received, and nothing else owns it.
                    let received = unsafe { OwnedFd::from_raw_fd(number) };
                    descriptor = Some(received);
                }
            }
        }
        let length = message.bytes;
        let text = String::from_utf8(text[..length].to_vec())?;
        if text.lines().any(|line| line == "FDSTORE=1") {
            self.kept = descriptor;
        } // else it is the end of a pipe, which is closed here
        Ok(text)
    }
}

impl Drop for Manager {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

impl Service {
    /// `kill -9`
    fn kill(&mut self) -> io::Result<()> {
        self.0.kill()?;
        self.0.wait().map(drop)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

/// Sends nonces, and reads the answers that come. Calls `after_some` when the first half of them is
/// there.
fn send(
    directory: &Path,
    nonces: &[String],
    after_some: impl FnOnce() -> io::Result<()>,
) -> Result<Vec<String>, Failure> {
    let mut requests = UnixStream::connect(socket_path(directory))?;
    let mut answers = BufReader::new(requests.try_clone()?).lines();
    thread::scope(|scope| {
        scope.spawn(move || {
            // It fails when the service is killed.
            let lines: String = nonces.iter().map(|nonce| format!("{nonce}\n")).collect();
            let _ = requests.write_all(lines.as_bytes());
            let _ = requests.shutdown(std::net::Shutdown::Write);
        });
        let some = answers.by_ref().take(nonces.len() / 2);
        let mut received: Vec<String> = some.collect::<Result<_, _>>()?;
        after_some()?;
        received.extend(answers.map_while(Result::ok));
        Ok(received)
    })
}

fn main() -> Result<(), Failure> {
    if env::args().nth(1).as_deref() == Some("serve") {
        return serve();
    }
    const LIVES: usize = 5;
    const OF_A_LIFE: usize = 2_000;
    let mut manager = Manager::new()?;
    let mut accepted: HashSet<String> = HashSet::new();
    let (mut unanswered, mut nobody_was_told) = (Vec::new(), 0);
    for life in 0..=LIVES {
        let mut service = manager.start()?;
        // All that was accepted before is refused, by whatever process.
        let before: Vec<String> = accepted.iter().cloned().collect();
        let answers = send(&manager.directory, &before, || Ok(()))?;
        assert_eq!(answers.len(), before.len());
        assert!(answers.iter().all(|answer| answer == "used"));
        // What was not answered was used, or was not.
        let answers = send(&manager.directory, &unanswered, || Ok(()))?;
        for (nonce, answer) in unanswered.drain(..).zip(answers) {
            match &*answer {
                "accepted" => assert!(accepted.insert(nonce)),
                _ => nobody_was_told += 1,
            }
        }
        if life == LIVES {
            break;
        }
        // New nonces, and the service is killed while it accepts them.
        let numbers = life * OF_A_LIFE..(life + 1) * OF_A_LIFE;
        let nonces: Vec<String> = numbers.map(|number| format!("nonce {number}")).collect();
        let answers = send(&manager.directory, &nonces, || service.kill())?;
        let without = nonces[answers.len()..].to_vec();
        println!(
            "killed: {} nonces were accepted, {} not answered",
            answers.len(),
            without.len()
        );
        for (nonce, answer) in nonces.into_iter().zip(&answers) {
            assert_eq!(answer, "accepted", "{nonce}");
            assert!(accepted.insert(nonce));
        }
        unanswered = without;
    }
    println!(
        "after {LIVES} kills: {} nonces were accepted, each once; {nobody_was_told} were used, and \
         their clients not told",
        accepted.len()
    );
    assert_eq!(accepted.len() + nobody_was_told, LIVES * OF_A_LIFE);
    Ok(())
}
