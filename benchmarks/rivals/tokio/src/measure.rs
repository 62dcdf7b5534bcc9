//! Rounds, clocks and memory: as weft_bench has them, so that the figures can stand beside its own.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

static QUICK: AtomicBool = AtomicBool::new(false);

/// From now on each row has one round without a warm-up: whether it works, not how fast it is.
pub fn be_quick() {
    QUICK.store(true, Relaxed);
}

/// How much work a round does: all of it, or at most `small` when it is quick.
pub fn amount(full: usize, small: usize) -> usize {
    if QUICK.load(Relaxed) { full.min(small) } else { full }
}

/// CPU time of all OS threads of this process, in nanoseconds.
pub fn cpu_ns() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now) };
    now.tv_sec as f64 * 1e9 + now.tv_nsec as f64
}

/// A field of /proc/self/status, in bytes: VmRSS is what is held now, VmHWM the most that ever was.
pub fn status_bytes(field: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("/proc/self/status");
    let line = status.lines().find(|line| line.starts_with(field)).expect("a field of /proc/self/status");
    let kilobytes: f64 = line[field.len()..].trim_start_matches(':').trim_end_matches("kB").trim().parse().unwrap();
    kilobytes * 1024.0
}

/// The figures of so many rounds, behind rounds that warm up for 0.4 s.
pub fn rounds(count: usize, mut round: impl FnMut() -> f64) -> Vec<f64> {
    if QUICK.load(Relaxed) {
        return vec![round()];
    }
    let began = Instant::now();
    while began.elapsed() < Duration::from_millis(400) {
        round();
    }
    (0..count).map(|_| round()).collect()
}

/// What this program prints as `--alone <work>` in a process of its own, so many times: a list for each place of the
/// line. Memory can be told only by a process that has done nothing else.
pub fn rounds_alone(count: usize, work: &[&str]) -> Vec<Vec<f64>> {
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for _ in 0..amount(count, 1) {
        let program = std::env::current_exe().expect("the path of this program");
        let child = Command::new(program).arg("--alone").args(work).stderr(Stdio::inherit()).output().unwrap();
        assert!(child.status.success(), "a measurement in a process of its own failed");
        let line = String::from_utf8(child.stdout).unwrap();
        for (place, figure) in line.split_whitespace().enumerate() {
            if columns.len() <= place {
                columns.push(Vec::new());
            }
            columns[place].push(figure.parse().unwrap());
        }
    }
    columns
}

/// Between two values where the position falls between them.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let position = share * (sorted.len() - 1) as f64;
    let below = position as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (position - below as f64) * (sorted[above] - sorted[below])
}

/// Prints a row as one object of JSON.
pub fn print(name: &str, unit: &str, mut figures: Vec<f64>) {
    figures.sort_by(f64::total_cmp);
    let median = quantile(&figures, 0.5);
    let line = serde_json::json!({
        "name": name, "unit": unit, "system": "tokio by hand", "median": median, "least": figures[0],
        "spread": (quantile(&figures, 0.75) - quantile(&figures, 0.25)) / median, "rounds": figures.len(),
    });
    println!("{line}");
}
