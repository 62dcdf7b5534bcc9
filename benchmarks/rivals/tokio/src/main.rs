//! What weft_bench measures, by hand over tokio: a floor of another world. One OS thread, as weft_bench.

mod agents;
mod measure;
mod short_runs;
mod waiting_runs;

use tokio::runtime::{Builder, Runtime};

const USAGE: &str = "usage: tokio_floor [--quick] [row...]   measures all rows, or those whose names are or begin so; \
one object of JSON a line\n       tokio_floor --list              names of the rows\n";

type Row = (&'static str, fn(&Runtime, &str, usize), usize);

const ROWS: &[Row] = &[
    ("chain_1", short_runs::chain, 1),
    ("chain_3", short_runs::chain, 3),
    ("chain_10", short_runs::chain, 10),
    ("fan_out_8_plain", short_runs::fan_out, 8),
    ("fan_out_8_coroutine", short_runs::fan_out, 8),
    ("fan_out_64_plain", short_runs::fan_out, 64),
    ("fan_out_64_coroutine", short_runs::fan_out, 64),
    ("fan_out_1000_plain", short_runs::fan_out, 1_000),
    ("fan_out_1000_coroutine", short_runs::fan_out, 1_000),
    ("wait_1000", waiting_runs::wait, 1_000),
    ("in_flight_10000", waiting_runs::in_flight, 10_000),
    ("in_flight_memory_10000", waiting_runs::memory, 10_000),
    ("suspended_memory_10000", waiting_runs::memory, 10_000),
    ("in_flight_memory_1000000", waiting_runs::memory, 1_000_000), // weft_bench's name: a million that wait
    ("react_turn_2", agents::react_turn, 2),
    ("agents_10000", agents::agents, 10_000),
];

/// What `--alone` does in a process of its own: prints figures.
fn do_alone(runtime: &Runtime, kind: &str, count: usize) {
    match kind {
        "moving" => println!("{}", waiting_runs::moving_bytes(runtime, count)),
        "suspended" => println!("{}", waiting_runs::suspended_bytes(runtime, count)),
        "agents" => {
            let (cpu_us, bytes, wall_ms) = agents::agents_alone(runtime, count);
            println!("{cpu_us} {bytes} {wall_ms}");
        }
        _ => panic!("--alone is for the program itself"),
    }
}

/// The rows that a word means: the one of that name, or all that begin with it.
fn select(word: &str) -> Vec<&'static Row> {
    let named: Vec<_> = ROWS.iter().filter(|row| row.0 == word).collect();
    if named.is_empty() { ROWS.iter().filter(|row| row.0.starts_with(word)).collect() } else { named }
}

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
    if words.len() == 3 && words[0] == "--alone" {
        return do_alone(&runtime, &words[1], words[2].parse().expect("a number"));
    }
    if words.first().is_some_and(|word| word == "--list") {
        return ROWS.iter().for_each(|row| println!("{}", row.0));
    }
    if words.first().is_some_and(|word| word == "--quick") {
        measure::be_quick();
        words.remove(0);
    }
    if words.is_empty() {
        words.push(String::new()); // which all names begin with
    }
    for word in &words {
        let rows = select(word);
        if rows.is_empty() {
            eprint!("tokio_floor: no row '{word}'\n{USAGE}");
            std::process::exit(2);
        }
        for (name, measure, count) in rows {
            measure(&runtime, name, *count);
        }
    }
}
