//! Random histories, and what must be in when they are over.

use std::collections::HashMap;

use crate::engine::ask;
use crate::wire::{Client, request};

/// Numbers that are the same in every run.
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

/// Filters, what is done to them at random, and how many copies of each item are in.
pub(crate) struct History {
    random: Random,
    keys: Vec<&'static str>,
    /// By key and item, for those that were acknowledged.
    copies: HashMap<(usize, usize), usize>,
    /// Those of them that can be deleted.
    known: Vec<(usize, usize)>,
}

/// Filters of all kinds, small enough to grow and to be full.
const RESERVES: [(&str, &str); 6] = [
    ("a", "1000 EXPANSION 2"),
    ("b", "3000 EXPANSION 0"),
    ("c", "500 BUCKETSIZE 2 EXPANSION 4"),
    ("d", "1000 ERROR 0.005 EXPANSION 2"),
    ("e", ""),
    ("h", "300 BUCKETSIZE 8"),
];

/// Commands that are sent at a time.
const BATCH: usize = 200;

enum Step {
    Add(usize, bool),
    Insert(Vec<usize>, bool),
    Delete(usize),
    Compact,
}

impl History {
    /// Makes the filters.
    pub(crate) fn begin(client: &mut Client, seed: u64) -> Self {
        for (key, options) in RESERVES {
            if !options.is_empty() {
                assert_eq!(
                    ask(client, &format!("CF.RESERVE {key} {options}")),
                    "+OK\r\n"
                );
            }
        }
        Self {
            random: Random::new(seed),
            keys: RESERVES.map(|(key, _)| key).to_vec(),
            copies: HashMap::new(),
            known: Vec::new(),
        }
    }

    pub(crate) fn keys(&self) -> &[&'static str] {
        &self.keys
    }

    /// Goes on with so many commands.
    pub(crate) fn go_on(&mut self, client: &mut Client, commands: usize) {
        for _ in 0..commands / BATCH {
            let steps: Vec<_> = (0..BATCH).map(|_| self.step()).collect();
            let requests = steps
                .iter()
                .flat_map(|(key, step)| self.request(*key, step));
            client.send(&requests.collect::<Vec<u8>>());
            for (key, step) in steps {
                let reply = client.reply();
                self.note(key, &step, &reply);
            }
        }
    }

    fn step(&mut self) -> (usize, Step) {
        let key = self.random.below(self.keys.len());
        let item = self.random.below(1 << 20);
        match self.random.below(100) {
            0..40 => (key, Step::Add(item, false)),
            40..55 => (key, Step::Add(item % 4096, true)),
            55..65 => (key, Step::Insert(self.items(), false)),
            65..70 => (key, Step::Insert(self.items(), true)),
            70..99 if !self.known.is_empty() => {
                let at = self.random.below(self.known.len());
                let (key, item) = self.known.swap_remove(at);
                if let Some(copies) = self.copies.get_mut(&(key, item)) {
                    *copies -= 1;
                }
                (key, Step::Delete(item))
            }
            _ => (key, Step::Compact),
        }
    }

    fn items(&mut self) -> Vec<usize> {
        let number = 1 + self.random.below(20);
        (0..number).map(|_| self.random.below(1 << 14)).collect()
    }

    fn request(&self, key: usize, step: &Step) -> Vec<u8> {
        let key = self.keys[key].to_owned();
        let name =
            |is_unique: bool, name: &str| format!("{name}{}", if is_unique { "NX" } else { "" });
        let words = match step {
            Step::Add(item, is_unique) => vec![name(*is_unique, "CF.ADD"), key, item.to_string()],
            Step::Insert(items, is_unique) => {
                [name(*is_unique, "CF.INSERT"), key, "ITEMS".to_owned()]
                    .into_iter()
                    .chain(items.iter().map(usize::to_string))
                    .collect()
            }
            Step::Delete(item) => vec!["CF.DEL".to_owned(), key, item.to_string()],
            Step::Compact => vec!["CF.COMPACT".to_owned(), key],
        };
        request(&words)
    }

    fn note(&mut self, key: usize, step: &Step, reply: &str) {
        match step {
            Step::Add(item, _) if reply == ":1\r\n" => self.added(key, *item),
            Step::Add(_, true) if reply == ":0\r\n" => {}
            Step::Add(..) => assert!(reply.starts_with("-Filter is full"), "{reply}"),
            Step::Insert(items, _) => {
                let answers: Vec<_> = reply.lines().skip(1).collect();
                assert_eq!(answers.len(), items.len(), "{reply}");
                for (&item, answer) in items.iter().zip(answers) {
                    if answer == ":1" {
                        self.added(key, item);
                    }
                }
            }
            // What was acknowledged is found.
            Step::Delete(item) => assert_eq!(reply, ":1\r\n", "{}: {item}", self.keys[key]),
            // It can be the first for a filter that nobody reserved.
            Step::Compact => assert!(reply == "+OK\r\n" || self.keys[key] == "e", "{reply}"),
        }
    }

    fn added(&mut self, key: usize, item: usize) {
        *self.copies.entry((key, item)).or_default() += 1;
        self.known.push((key, item));
    }

    /// Looks for all that must be in.
    pub(crate) fn check(&self, client: &mut Client) {
        for (at, key) in self.keys.iter().enumerate() {
            let there = self.copies.iter();
            let items = there.filter(|((of, _), copies)| *of == at && **copies > 0);
            let items: Vec<String> = items.map(|((_, item), _)| item.to_string()).collect();
            for items in items.chunks(1_000) {
                let words: Vec<&str> = ["CF.MEXISTS", key]
                    .into_iter()
                    .chain(items.iter().map(String::as_str))
                    .collect();
                let reply = client.ask(&words);
                assert!(!reply.contains(":0"), "{key} misses items");
            }
        }
    }
}
