//! Runs that wait for nothing: chains and fan-outs. A node is a boxed future that gives 1; their sum is asserted.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio::runtime::Runtime;

use crate::measure::{cpu_ns, print, rounds};

type NodeFuture = Pin<Box<dyn Future<Output = usize> + Send>>;
type Node = Box<dyn Fn() -> NodeFuture + Send + Sync>;

fn nodes(count: usize) -> Arc<[Node]> {
    (0..count).map(|_| Box::new(|| Box::pin(async { 1usize }) as NodeFuture) as Node).collect()
}

async fn run_chain(chain: Arc<[Node]>) -> usize {
    let mut visits = 0;
    for node in chain.iter() {
        visits += node().await;
    }
    visits
}

/// A task for each run, which awaits its nodes.
async fn chain_ns(chain: Arc<[Node]>, runs: usize) -> f64 {
    let before = cpu_ns();
    let mut visits = 0;
    for _ in 0..runs {
        visits += tokio::spawn(run_chain(chain.clone())).await.unwrap();
    }
    let spent = cpu_ns() - before;
    assert_eq!(visits, runs * chain.len(), "a chain did not visit every node");
    spent / runs as f64
}

pub fn chain(runtime: &Runtime, name: &str, count: usize) {
    let chain = nodes(count);
    let runs = 200_000 / (count + 3);
    print(name, "ns CPU per run", rounds(15, || runtime.block_on(chain_ns(chain.clone(), runs))));
}

/// A task for each branch: each can be stopped for itself, as a coroutine of weft.
async fn spawn_branches(branches: Arc<[Node]>) -> usize {
    let handles: Vec<_> = branches.iter().map(|node| tokio::spawn(node())).collect();
    let mut visits = 0;
    for handle in handles {
        visits += handle.await.unwrap();
    }
    visits
}

/// Branches that the parent polls: no task, and nothing to stop one with.
async fn poll_branches(branches: Arc<[Node]>) -> usize {
    let mut unordered: FuturesUnordered<NodeFuture> = branches.iter().map(|node| node()).collect();
    let mut visits = 0;
    while let Some(one) = unordered.next().await {
        visits += one;
    }
    visits
}

async fn fan_out_ns<F: Future<Output = usize>>(fan: fn(Arc<[Node]>) -> F, branches: Arc<[Node]>, runs: usize) -> f64 {
    let before = cpu_ns();
    let mut visits = 0;
    for _ in 0..runs {
        visits += fan(branches.clone()).await;
    }
    let spent = cpu_ns() - before;
    assert_eq!(visits, runs * branches.len(), "a fan-out did not run every branch");
    spent / runs as f64 / branches.len() as f64
}

pub fn fan_out(runtime: &Runtime, name: &str, count: usize) {
    let branches = nodes(count);
    let runs = 100_000 / (count + 8);
    let figures = if name.ends_with("_plain") {
        rounds(15, || runtime.block_on(fan_out_ns(poll_branches, branches.clone(), runs)))
    } else {
        rounds(15, || runtime.block_on(fan_out_ns(spawn_branches, branches.clone(), runs)))
    };
    print(name, "ns CPU per branch", figures);
}
