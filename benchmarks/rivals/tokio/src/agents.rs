//! Agents by hand: a loop that sends a model copies of all messages, parses the arguments of its calls, calls the
//! tool and keeps what both said. As the floor of weft_bench's agents, over tokio.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;

use crate::measure::{amount, cpu_ns, print, rounds, rounds_alone, status_bytes};
use crate::waiting_runs::Progress;

#[derive(Clone, PartialEq)]
enum Role {
    System,
    User,
    Assistant,
    Tool,
}

#[derive(Clone)]
struct ToolCall {
    id: String,
    name: String,
    arguments: String,
}

#[derive(Clone)]
struct Message {
    role: Role,
    text: String,
    tool_calls: Vec<ToolCall>,
    answers: String,
}

struct Reply {
    message: Message,
    input_tokens: u64,
    output_tokens: u64,
}

impl Message {
    fn of(role: Role, text: &str) -> Self {
        Message { role, text: text.to_owned(), tool_calls: Vec::new(), answers: String::new() }
    }

    fn result(call: &ToolCall, text: String) -> Self {
        Message { role: Role::Tool, text, tool_calls: Vec::new(), answers: call.id.clone() }
    }
}

trait Model: Send + Sync {
    fn reply(&self, request: Vec<Message>) -> Pin<Box<dyn Future<Output = Reply> + Send>>;
}

/// Calls the tool in every turn but the last, and then answers.
struct Turning {
    before: usize, // messages before its first turn
    turns: usize,
    delay: Duration,
    tool: &'static str,
    arguments: fn(usize) -> String,
    answer: &'static str,
}

impl Model for Turning {
    fn reply(&self, request: Vec<Message>) -> Pin<Box<dyn Future<Output = Reply> + Send>> {
        let turn = (request.len() - self.before) / 2;
        let message = if turn + 1 < self.turns {
            let arguments = (self.arguments)(turn);
            let call = ToolCall { id: format!("call-{turn}"), name: self.tool.to_owned(), arguments };
            Message { tool_calls: vec![call], ..Message::of(Role::Assistant, "") }
        } else {
            Message::of(Role::Assistant, self.answer)
        };
        let delay = self.delay;
        Box::pin(async move {
            if !delay.is_zero() {
                tokio::time::sleep(delay).await;
            }
            drop(request);
            Reply { message, input_tokens: 20, output_tokens: 10 }
        })
    }
}

type Tool = fn(&serde_json::Value) -> String;

struct Agent {
    model: Box<dyn Model>,
    tool_name: &'static str,
    tool: Tool,
}

impl Agent {
    /// Goes round until the model calls nothing; gives the conversation and the tokens.
    async fn run(&self, mut talk: Vec<Message>, turns_max: usize) -> (Vec<Message>, u64) {
        let mut tokens = 0;
        for _ in 0..turns_max {
            let reply = self.model.reply(talk.clone()).await;
            tokens += reply.input_tokens + reply.output_tokens;
            talk.push(reply.message);
            let calls = talk.last().unwrap().tool_calls.clone();
            if calls.is_empty() {
                break;
            }
            for call in &calls {
                assert_eq!(call.name, self.tool_name, "a model called an unknown tool");
                let arguments = serde_json::from_str(&call.arguments).expect("arguments of a call");
                talk.push(Message::result(call, (self.tool)(&arguments)));
            }
        }
        (talk, tokens)
    }
}

const TURNS: usize = 20;
const RUNS: usize = 100;

/// A run of 20 turns, 19 of them with a call, after a system's text and a conversation of two messages.
pub fn react_turn(runtime: &Runtime, name: &str, _: usize) {
    let agent = Agent {
        model: Box::new(Turning {
            before: 3,
            turns: TURNS,
            delay: Duration::ZERO,
            tool: "look",
            arguments: |turn| format!(r#"{{"x":{turn}}}"#),
            answer: "It rains.",
        }),
        tool_name: "look",
        tool: |arguments| format!("seen {}", arguments["x"].as_i64().expect("x")),
    };
    let before = vec![
        Message::of(Role::System, "You help people with the weather."),
        Message::of(Role::User, &"m".repeat(200)),
        Message::of(Role::User, "Does it rain?"),
    ];
    let figures = rounds(15, || {
        let mut spent = 0.0;
        for _ in 0..RUNS {
            let talk = before.clone();
            let began = cpu_ns();
            let (talk, tokens) = runtime.block_on(agent.run(talk, TURNS));
            spent += cpu_ns() - began;
            check(&talk, before.len() + 2 * TURNS - 1, "It rains.");
            assert_eq!(talk[talk.len() - 2].text, format!("seen {}", TURNS - 2));
            assert_eq!(tokens, 30 * TURNS as u64);
        }
        spent / (RUNS * TURNS) as f64 / 1e3
    });
    print(name, "us CPU per turn", figures);
}

fn check(talk: &[Message], messages: usize, answer: &str) {
    assert_eq!(talk.len(), messages, "an agent took another number of turns");
    assert!(talk.last().unwrap().text == answer, "an agent did not answer");
    assert!(talk[talk.len() - 2].role == Role::Tool && !talk[talk.len() - 2].answers.is_empty());
}

async fn run_agents(agent: Arc<Agent>, count: usize, turns: usize) {
    let progress = Arc::new(Progress::default());
    for _ in 0..count {
        let (agent, progress) = (agent.clone(), progress.clone());
        tokio::spawn(async move {
            let talk = vec![
                Message::of(Role::System, "You are a helpful assistant."),
                Message::of(Role::User, "What is the weather in Paris?"),
            ];
            let (talk, _) = agent.run(talk, turns).await;
            check(&talk, 2 * turns + 1, "It rains in Paris.");
            progress.end_one(count);
        });
    }
    progress.wait(count).await;
}

/// The load of `weft_bench --agents`: CPU and memory for each agent, and the time of all on the wall.
pub fn agents_alone(runtime: &Runtime, count: usize) -> (f64, f64, f64) {
    const TURNS: usize = 3;
    let model = Turning {
        before: 2,
        turns: TURNS,
        delay: Duration::from_millis(100),
        tool: "weather",
        arguments: |_| r#"{"city":"Paris"}"#.to_owned(),
        answer: "It rains in Paris.",
    };
    let tool: Tool = |arguments| format!("rain in {}", arguments["city"].as_str().expect("city"));
    let agent = Arc::new(Agent { model: Box::new(model), tool_name: "weather", tool });
    runtime.block_on(run_agents(agent.clone(), count.min(100), TURNS)); // the pages of the code
    let bytes = status_bytes("VmRSS");
    let cpu = cpu_ns();
    let began = Instant::now();
    runtime.block_on(run_agents(agent, count, TURNS));
    let wall = began.elapsed().as_secs_f64() * 1e3;
    let each = count as f64;
    ((cpu_ns() - cpu) / 1e3 / each, (status_bytes("VmHWM") - bytes) / each, wall)
}

pub fn agents(_: &Runtime, name: &str, count: usize) {
    let agents = amount(count, 1_000).to_string();
    let mut columns = rounds_alone(5, &["agents", &agents]).into_iter();
    print(name, "us CPU per agent", columns.next().unwrap());
    let number = name.trim_start_matches("agents_");
    print(&format!("agents_memory_{number}"), "bytes per agent", columns.next().unwrap());
    print(&format!("agents_wall_{number}"), "ms", columns.next().unwrap());
}
