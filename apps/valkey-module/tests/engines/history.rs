//! Histories: random commands, and the items that must be stored after them.

use crate::engine::{says, with_items};
use crate::wire::{Client, request};

/// A generator of numbers that are the same in every run.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % end
    }
}

/// A random history on filters.
pub(crate) struct History {
    random: Random,
    /// The keys and items of all stored copies: each was acknowledged, and not deleted.
    known: Vec<(&'static str, usize)>,
}

/// Commands that make filters of all kinds, small enough to grow and to be full.
const RESERVES: [(&str, &str); 7] = [
    ("a", "1000 EXPANSION 2"),
    ("b", "3000 EXPANSION 0"),
    ("c", "500 BUCKETSIZE 2 EXPANSION 4"),
    ("d", "1000 ERROR 0.005 EXPANSION 2"),
    ("e", ""),
    ("h", "300 BUCKETSIZE 8"),
    ("l", "100 ERROR 0.0006"),
];

/// The commands that are sent at a time.
const BATCH: usize = 200;

/// Deletes an item that is not stored. Without the question it could take the place of another one.
const DELETE_ABSENT: &str = "
    if redis.call('CF.EXISTS', KEYS[1], ARGV[1]) == 1 then
        return 0
    end
    return redis.call('CF.DEL', KEYS[1], ARGV[1])";

/// A command, a key, and items.
type Step = (&'static str, &'static str, Vec<usize>);

impl History {
    /// Makes the filters.
    pub(crate) fn begin(client: &mut Client, seed: u64) -> Self {
        for (key, options) in RESERVES {
            if !options.is_empty() {
                says(client, &format!("CF.RESERVE {key} {options}"), "+OK");
            }
        }
        Self {
            random: Random::new(seed),
            known: Vec::new(),
        }
    }

    pub(crate) fn keys() -> [&'static str; 7] {
        RESERVES.map(|(key, _)| key)
    }

    /// Continues with this many commands.
    pub(crate) fn go_on(&mut self, client: &mut Client, commands: usize) {
        for _ in 0..commands / BATCH {
            let steps: Vec<_> = (0..BATCH).map(|_| self.step()).collect();
            for (command, key, items) in &steps {
                if *command == "EVAL" {
                    let absent = items[0].to_string();
                    client.send(&request(&["EVAL", DELETE_ABSENT, "1", key, &absent]));
                    continue;
                }
                let word = if command.starts_with("CF.INSERT") {
                    " ITEMS"
                } else {
                    ""
                };
                client.send(&request(&with_items(
                    &format!("{command} {key}{word}"),
                    items,
                )));
            }
            for step in steps {
                self.note(step, &client.reply());
            }
        }
    }

    fn step(&mut self) -> Step {
        let key = Self::keys()[self.random.below(RESERVES.len())];
        let item = self.random.below(1 << 20);
        match self.random.below(120) {
            0..40 => ("CF.ADD", key, vec![item]),
            40..55 => ("CF.ADDNX", key, vec![item % 4096]),
            55..65 => ("CF.INSERT", key, self.items()),
            65..70 => ("CF.INSERTNX", key, self.items()),
            // Fail, at least in part.
            70..87 => ("EVAL", key, vec![1 << 20 | item]),
            87..90 => ("CF.INSERT", key, vec![item; 10]),
            90..119 if !self.known.is_empty() => {
                let at = self.random.below(self.known.len());
                let (key, item) = self.known.swap_remove(at);
                ("CF.DEL", key, vec![item])
            }
            _ => ("CF.COMPACT", key, vec![]),
        }
    }

    fn items(&mut self) -> Vec<usize> {
        let number = 1 + self.random.below(20);
        (0..number).map(|_| self.random.below(1 << 14)).collect()
    }

    fn note(&mut self, (command, key, items): Step, reply: &str) {
        let mut answers: Vec<&str> = reply.lines().collect();
        match command {
            "CF.ADD" | "CF.ADDNX" => {
                let is_in = reply == ":1\r\n" || reply == ":0\r\n" && command == "CF.ADDNX";
                assert!(is_in || reply.starts_with("-Filter is full"), "{reply}");
            }
            "CF.INSERT" | "CF.INSERTNX" => {
                assert_eq!(answers.remove(0), format!("*{}", items.len()));
            }
            // It, too, can be the first command for that filter.
            "EVAL" => {
                let is_absent = reply == ":0\r\n" || key == "e" && reply.starts_with("-Not found");
                return assert!(is_absent, "{key}: {items:?}: {reply}");
            }
            // An acknowledged item is found.
            "CF.DEL" => return assert_eq!(reply, ":1\r\n", "{key}: {items:?}"),
            // It can be the first command for a filter that was not reserved.
            "CF.COMPACT" => assert!(reply == "+OK\r\n" || key == "e", "{reply}"),
            _ => {}
        }
        let added = items.into_iter().zip(answers);
        let added = added.filter(|(_, answer)| *answer == ":1");
        self.known.extend(added.map(|(item, _)| (key, item)));
    }

    /// Looks up all items that must be stored.
    pub(crate) fn check(&self, client: &mut Client) {
        for key in Self::keys() {
            let items = self.known.iter().filter(|(of, _)| *of == key);
            let items: Vec<_> = items.map(|(_, item)| item).collect();
            for items in items.chunks(1_000) {
                let reply = client.ask(&with_items(&format!("CF.MEXISTS {key}"), items));
                assert!(!reply.contains(":0"), "{key} misses items");
            }
        }
    }
}
