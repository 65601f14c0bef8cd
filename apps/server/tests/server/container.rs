//! The Dockerfile: what its steps name is there and works, and the image is built where an engine
//! can.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::download::{may_install, runs, skipped};
use crate::process::{Server, path, until};
use crate::wire::Client;

const DOCKERFILE: &str = include_str!("../../Dockerfile");
const IGNORED: &str = include_str!("../../Dockerfile.dockerignore");

/// The root of the repository, from which an image is built.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the arguments of all steps of this name.
fn steps(name: &str) -> Vec<&'static str> {
    let lines = DOCKERFILE.lines();
    lines
        .filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
        .collect()
}

/// Returns the arguments of the only step of this name.
fn step(name: &str) -> &'static str {
    let [step] = steps(name)[..] else {
        panic!("not one {name}")
    };
    step
}

/// Parses the words of a step that are an array.
fn words(step: &str) -> Vec<String> {
    serde_json::from_str(step).expect(step)
}

/// The steps of the image name what is there.
#[test]
fn the_steps_name_what_is_there() {
    let known = [
        "FROM",
        "WORKDIR",
        "COPY",
        "RUN",
        "USER",
        "VOLUME",
        "ENV",
        "EXPOSE",
        "HEALTHCHECK",
        "ENTRYPOINT",
    ];
    for line in DOCKERFILE.lines() {
        let word = line.split(' ').next().expect("a word");
        assert!(
            word.is_empty() || word == "#" || known.contains(&word),
            "{line}"
        );
    }
    // The compiler is the oldest that works, and both stages have the same C library.
    let [build, run] = steps("FROM")[..] else {
        panic!("not two stages")
    };
    let manifest = fs::read_to_string(root().join("apps/Cargo.toml")).expect("a manifest");
    let rust = manifest
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = "));
    let rust = rust.expect("a version").trim_matches('"');
    assert_eq!(build, format!("rust:{rust}-slim-bookworm AS build"));
    assert_eq!(run, "debian:bookworm-slim");
    // All is copied but what cargo does not need.
    let program = Path::new(env!("CARGO_BIN_EXE_lockfree-cuckoo-server"));
    let name = program.file_name().and_then(|name| name.to_str());
    // Both workspaces have one directory of builds, `apps/.cargo/config.toml` says.
    let source = step("WORKDIR").strip_suffix("/apps").expect("the products");
    let built = format!("{source}/target/release/{}", name.expect("a name"));
    assert_eq!(
        steps("COPY"),
        [
            &format!(". {source}"),
            &format!("--from=build {built} /usr/local/bin/")
        ]
    );
    let sources = [
        ".cargo",
        "Cargo.toml",
        "README.md",
        "apps/.cargo",
        "apps/Cargo.toml",
        "apps/Cargo.lock",
        "docs",
        "src",
    ];
    for source in sources {
        assert!(root().join(source).exists(), "{source}");
    }
    let members = manifest
        .lines()
        .find_map(|line| line.strip_prefix("members = "));
    let members = words(members.expect("members"));
    let members = members.iter().map(|member| format!("apps/{member}"));
    let needed: Vec<String> = sources
        .map(str::to_owned)
        .into_iter()
        .chain(members)
        .collect();
    for ignored in IGNORED.lines() {
        // `**/` is any directory, also none.
        let (name, anywhere) = match ignored.strip_prefix("**/") {
            Some(name) => (name, true),
            None => (ignored, false),
        };
        let is_ignored = |needed: &String| {
            needed.starts_with(name) || anywhere && needed.contains(&format!("/{name}"))
        };
        assert!(!needed.iter().any(is_ignored), "{ignored}");
    }
    // The user can write where the snapshot and its volume are.
    let home = step("VOLUME");
    let user = steps("RUN")[1];
    assert!(user.starts_with("useradd ") && user.ends_with(&format!(" {home} {}", step("USER"))));
    let [ref server, ref options @ ..] = words(step("ENTRYPOINT"))[..] else {
        panic!("no program")
    };
    assert_eq!(Some(server.as_str()), name);
    assert_eq!(options.last(), Some(&format!("{home}/snapshot")));
    for port in step("EXPOSE").split(' ') {
        assert!(options.contains(&format!("0.0.0.0:{port}")), "{port}");
    }
}

/// Runs the line that builds the program, for the profile of this test. (Cargo has built it by now.)
#[test]
fn the_build_of_the_image_works() {
    let line = steps("RUN")[0];
    let [cargo, arguments @ ..] = &line.split(' ').collect::<Vec<_>>()[..] else {
        panic!("no program")
    };
    assert_eq!(*cargo, "cargo");
    assert!(arguments.contains(&"--release"));
    let program = Path::new(env!("CARGO_BIN_EXE_lockfree-cuckoo-server"));
    let target = program.ancestors().nth(2).expect("a target directory");
    let built = Command::new(env!("CARGO"))
        .args(
            arguments
                .iter()
                .filter(|&&argument| argument != "--release"),
        )
        .arg("--target-dir")
        .arg(target)
        .current_dir(root().join("apps"))
        .stdin(Stdio::null())
        .output()
        .expect("cargo");
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
}

/// The command and the health check of the image work.
///
/// Runs the options and the check of the image, on free ports and another directory.
#[test]
fn the_command_and_the_health_check_work() {
    let password = path("password");
    fs::write(&password, "open sesame\n").expect("a file");
    let (variable, _) = step("ENV").split_once('=').expect("a value");
    let help = Command::new(env!("CARGO_BIN_EXE_lockfree-cuckoo-server"))
        .arg("--help")
        .output();
    let help = String::from_utf8(help.expect("it runs").stdout).expect("a text");
    assert!(help.contains(&format!("[env: {variable}=")), "{help}");
    let mut options = words(step("ENTRYPOINT")).split_off(1).join(" ");
    for port in step("EXPOSE").split(' ') {
        options = options.replace(port, "0");
    }
    let directory = password.parent().expect("a directory").display();
    let options = options.replace(step("VOLUME"), &directory.to_string());
    let server = Server::start(&format!("{options} --password-file {}", password.display()));
    let (_, check) = step("HEALTHCHECK").split_once("CMD ").expect("a command");
    let port = server.http.expect("an address").port().to_string();
    let check = words(&check.replace("9121", &port));
    let is_healthy = || runs(Command::new(&check[0]).args(&check[1..]));
    assert!(is_healthy());
    server.stop();
    assert!(!is_healthy());
}

fn docker(arguments: &[&str]) -> Output {
    let ran = Command::new("docker")
        .args(arguments)
        .current_dir(root())
        .stdin(Stdio::null())
        .output();
    ran.expect("docker")
}

/// Returns the output of a command that must succeed.
fn said(arguments: &[&str]) -> String {
    let ran = docker(arguments);
    let wrong = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{arguments:?}: {wrong}");
    String::from_utf8(ran.stdout)
        .expect("a text")
        .trim()
        .to_owned()
}

/// Stops a container if the test fails.
struct Container(String);

impl Drop for Container {
    fn drop(&mut self) {
        let _ = docker(&["rm", "--force", "--volumes", &self.0]);
    }
}

#[test]
fn the_image_runs() {
    const IMAGE: &str = "lockfree-cuckoo-server-of-a-test";
    if !runs(Command::new("docker").arg("info")) {
        return skipped("the image of the server", "no docker engine runs here");
    }
    // The engine fetches the base images, and cargo the crates.
    if !may_install("the image of the server") {
        return;
    }
    let file = "apps/server/Dockerfile";
    said(&["build", "--file", file, "--tag", IMAGE, "."]);
    let password = path("password");
    fs::write(&password, "open sesame\n").expect("a file");
    let volume = format!("{}:/run/secrets/password:ro", password.display());
    let run = [
        "run",
        "--detach",
        "--publish",
        "127.0.0.1::6379",
        "--volume",
        &volume,
        IMAGE,
    ];
    let container = Container(said(&run));
    let id = container.0.as_str();
    until("the container to be healthy", || {
        said(&["inspect", "--format", "{{.State.Health.Status}}", id]) == "healthy"
    });
    let address = said(&["port", id, "6379/tcp"]).parse().expect("an address");
    let mut client = Client::connect(address);
    assert_eq!(client.ask(&["AUTH", "open sesame"]), "+OK\r\n");
    client.converse("CF.ADD f a -> :1");
    said(&["stop", "--time", "60", id]);
    let status = said(&["inspect", "--format", "{{.State.ExitCode}}", id]);
    assert_eq!(status, "0");
    said(&["start", id]);
    let again = || said(&["port", id, "6379/tcp"]).parse().expect("an address");
    until("the container to be healthy again", || {
        said(&["inspect", "--format", "{{.State.Health.Status}}", id]) == "healthy"
    });
    let mut client = Client::connect(again());
    assert_eq!(client.ask(&["AUTH", "open sesame"]), "+OK\r\n");
    client.converse("CF.EXISTS f a -> :1");
}
