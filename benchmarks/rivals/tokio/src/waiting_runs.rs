//! Runs that wait: many at once with three waits each, their memory, and one run of many branches.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::sync::Notify;
use tokio::time::sleep;

use crate::measure::{amount, cpu_ns, print, rounds, rounds_alone, status_bytes};

/// How many of the tasks that belong together have begun and ended.
#[derive(Default)]
pub struct Progress {
    begun: AtomicUsize,
    ended: AtomicUsize,
    all_ended: Notify,
}

impl Progress {
    pub fn end_one(&self, of: usize) {
        if self.ended.fetch_add(1, Relaxed) + 1 == of {
            self.all_ended.notify_one();
        }
    }

    pub async fn wait(&self, of: usize) {
        self.all_ended.notified().await;
        assert_eq!(self.ended.load(Relaxed), of, "not every task came to its end");
    }
}

thread_local! { static SOURCE: Cell<u64> = const { Cell::new(1) }; }

/// What the runs of a load share.
struct Load {
    runs: usize,
    wait_min: u64, // in microseconds, as the next
    wait_max: u64,
    progress: Progress,
}

const HOUR: u64 = 3_600_000_000;

impl Load {
    fn new(runs: usize, wait_min: u64, wait_max: u64) -> Arc<Load> {
        Arc::new(Load { runs, wait_min, wait_max, progress: Progress::default() })
    }

    /// The next wait: even between the two bounds, from the generator that weft_bench has (std::minstd_rand).
    fn next_wait(&self) -> Duration {
        let next = SOURCE.get() * 48_271 % 2_147_483_647;
        SOURCE.set(next);
        Duration::from_micros(self.wait_min + next % (self.wait_max - self.wait_min + 1))
    }
}

async fn run_once(load: Arc<Load>) {
    load.progress.begun.fetch_add(1, Relaxed);
    for _ in 0..3 {
        sleep(load.next_wait()).await;
    }
    load.progress.end_one(load.runs);
}

async fn run_all(runs: usize) {
    let load = Load::new(runs, 5_000, 50_000);
    for _ in 0..runs {
        tokio::spawn(run_once(load.clone()));
    }
    load.progress.wait(runs).await;
}

pub fn in_flight(runtime: &Runtime, name: &str, count: usize) {
    let runs = amount(count, 1_000);
    let figures = rounds(7, || {
        let before = cpu_ns();
        runtime.block_on(run_all(runs));
        (cpu_ns() - before) / 1e3 / runs as f64
    });
    print(name, "us CPU per run", figures);
}

pub fn memory(_: &Runtime, name: &str, count: usize) {
    let runs = amount(count, 1_000).to_string();
    let waits = name.starts_with("suspended") || count == 1_000_000;
    let kind = if waits { "suspended" } else { "moving" };
    print(name, "bytes per run", rounds_alone(5, &[kind, &runs]).remove(0));
}

/// The most that the load takes from its first run to its last end; the pages of the code are there before.
pub fn moving_bytes(runtime: &Runtime, runs: usize) -> f64 {
    runtime.block_on(run_all(100));
    let before = status_bytes("VmRSS");
    runtime.block_on(run_all(runs));
    (status_bytes("VmHWM") - before) / runs as f64
}

/// What runs take that wait for an hour; the pages of the code are there before.
pub fn suspended_bytes(runtime: &Runtime, runs: usize) -> f64 {
    runtime.block_on(run_all(100));
    let before = status_bytes("VmRSS");
    runtime.block_on(async {
        let load = Load::new(runs, HOUR, HOUR);
        for _ in 0..runs {
            tokio::spawn(run_once(load.clone()));
        }
        while load.progress.begun.load(Relaxed) < runs {
            tokio::task::yield_now().await;
        }
        assert_eq!(load.progress.ended.load(Relaxed), 0, "a suspended run went on");
        (status_bytes("VmRSS") - before) / runs as f64
    })
}

/// One run of branches that each wait 10 ms, each a task; by the clock on the wall.
pub fn wait(runtime: &Runtime, name: &str, count: usize) {
    let figures = rounds(9, || {
        let before = Instant::now();
        runtime.block_on(async {
            let branch = || tokio::spawn(async { sleep(Duration::from_millis(10)).await });
            let branches: Vec<_> = (0..count).map(|_| branch()).collect();
            for one in branches {
                one.await.unwrap();
            }
        });
        before.elapsed().as_secs_f64() * 1e3
    });
    print(name, "ms", figures);
}
