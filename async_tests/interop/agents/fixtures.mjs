// What the mock server of agents/mock.mjs answers to agents, by what they tell it: the system's text says which agent
// asks; the number of replies in the conversation, and the result that stands last in it, say how far it has come. A
// conversation that is sent back wrong has no answer here.

const call = (name, args, id) => ({ name, arguments: JSON.stringify(args), id });
const weather = (city) => call("weather", { city }, `call_${city.toLowerCase()}`);
const output = (value, id) => call("set_output", { key: "report", value }, id);
const usage = {
    prompt_tokens: 100, completion_tokens: 10, total_tokens: 110,
    input_tokens: 100, output_tokens: 10,
    promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110,
};

/** A turn of a conversation: how many replies were before it, and what the last message says. */
const turn = (system, turnIndex, response, after = {}, options = {}) => [
    { systemMessage: system, turnIndex, ...after },
    response,
    options,
];
const result = (toolCallId, toolResultContains) => ({ toolCallId, toolResultContains });
const said = (userMessage) => ({ userMessage });

const [first, later] = [{ sequenceIndex: 0 }, {}];
const stalls = { recordedTimings: { ttftMs: 0, interChunkDelaysMs: [0, 0, 0, 0, 600_000], totalDurationMs: 600_000 } };

/** Answers when `count` requests wait for it: so that those who ask one after the other never get one. */
function together(count) {
    let waiting = [];
    return (response) => () =>
        new Promise((answer, refuse) => {
            waiting.push(() => answer(response));
            setTimeout(() => refuse(new Error("nobody else has asked")), 10_000).unref();
            if (waiting.length < count) return;
            for (const go of waiting) go();
            waiting = [];
        });
}

const journeys = "You plan journeys.";
const turns = [
    turn(journeys, 0, { content: "Let me look. 😀", toolCalls: [weather("Rome"), weather("Oslo")], usage }),
    turn(journeys, 1, { toolCalls: [call("book", { city: "Rome" }, "call_book")], usage },
        result("call_oslo", "rain in Oslo")),
    turn(journeys, 2, { content: "Grüße 😀😀: it rains in Rome, and the train is booked.", usage },
        result("call_book", "booked: Rome")),
];

const reports = "Write one sentence about the weather of Oslo.";
const judge = "You judge whether a piece of work is good enough.";
const loops = [
    turn(reports, 0, { content: "Let me look.", toolCalls: [weather("Oslo")] }, said("topic: Oslo")),
    turn(reports, 1, { toolCalls: [output("It rains in Oslo.", "call_out_1")] }, result("call_oslo", "rain in Oslo")),
    turn(reports, 2, { content: "I see. ", toolCalls: [output("It rains in Oslo, at 7 degrees.", "call_out_2")] },
        said("[Judge feedback]: Say how warm it is.")),
    turn(judge, 0, { content: "ACTION: ACCEPT\nCONFIDENCE: 0.9\nFEEDBACK:" }, said("7 degrees")),
    turn(judge, 0, { content: "ACTION: RETRY\nCONFIDENCE: 0.8\nFEEDBACK: Say how warm it is." }, said("report")),
];

const shop = "You help in a shop.";
const blocked =
    "<AGENT_BLOCKED><BLOCKER_REASON>I may not sell.</BLOCKER_REASON>" +
    "<UNBLOCK_REQUIREMENTS>Ask the keeper.</UNBLOCK_REQUIREMENTS></AGENT_BLOCKED>";
const chats = [
    turn(shop, 0, { content: "I look.", toolCalls: [call("stock", { item: "umbrella" }, "call_stock")] },
        said("Do we have umbrellas?")),
    turn(shop, 1, { content: "There are two.\n<AGENT_DONE>Two umbrellas.</AGENT_DONE>" }, result("call_stock", "2")),
    [{ systemMessage: shop, userMessage: "Sell me one." }, { content: blocked }],
];

const ledger = "You are the ledger.";
const react = [
    turn(ledger, 0, { toolCalls: [call("invoice", { number: "1017" }, "call_1"), call("invoice", { number: "x" },
        "call_2")] }, said("Is invoice 1017 paid?")),
    turn(ledger, 1, { content: "It was paid on Monday." }, result("call_2", "no invoice x")),
    turn(ledger, 2, { content: '{"paid": true, "day": "Monday"}' }),
];

const triage = "You are triage.";
const billing = "You are billing.";
const team = [
    turn(triage, 0, { content: "One moment. ", toolCalls: [call("transfer_to_billing", {}, "call_go"),
        call("weather", { city: "Rome" }, "call_too")] }, said("Is invoice 1017 paid?")),
    turn(billing, 1, { toolCalls: [call("invoice", { number: "1017" }, "call_inv")] }, said("Is invoice 1017 paid?")),
    turn(billing, 2, { content: "It was paid on Monday." }, result("call_inv", "paid on Monday")),
    turn(billing, 3, { content: "You are welcome." }, said("Thank you!")),
];

const boss = "You are the boss.";
const workers = together(2);
const office = [
    turn(boss, 0, { toolCalls: [call("ask_writer", { task: "Write of rain." }, "call_w"), call("ask_finder",
        { task: "Find rain." }, "call_f")] }, said("Do it.")),
    turn("You are the writer.", 0, workers({ content: "A text of rain." }), said("Write of rain.")),
    turn("You are the finder.", 0, workers({ toolCalls: [weather("Rome")] }), said("Find rain.")),
    turn("You are the finder.", 1, { content: "Rain in Rome." }, result("call_rome", "rain in Rome")),
    turn(boss, 1, { content: "All is done." }, result("call_f", "Rain in Rome.")),
];

const round = together(2);
const panel = [
    turn("You are the sceptic.", 0, { content: "Ship on Monday." }, said("### engineer\nShip on Monday.")),
    turn("You are the engineer.", 0, { content: "Ship on Monday." }, said("### sceptic\nNever.")),
    turn("You are the engineer.", 0, round({ content: "Ship on Monday." }), said("When do we ship?")),
    turn("You are the sceptic.", 0, round({ content: "Never." }), said("When do we ship?")),
];

const sums = "You count with tools.";
const mcp = [
    turn(sums, 0, { toolCalls: [call("all__get-sum", { a: 2, b: 40 }, "call_sum"), call("all__echo",
        { message: "hällo" }, "call_echo")] }, said("Count.")),
    turn(sums, 1, { toolCalls: [call("all__get-sum", { a: "x" }, "call_wrong")] }, result("call_echo", "hällo")),
    turn(sums, 2, { content: "It is 42." }, { toolCallId: "call_wrong" }),
];

// Failures. What a request gets the first time comes before what it gets later.
const refused = (status, type) => ({ error: { message: "not now", type }, status, retryAfter: 1 });
const order = { content: "I order. ", toolCalls: [call("order", { city: "Rome and all of its seven hills" }, "call_o")] };
const failures = [
    turn("You wait.", 0, refused(429, "rate_limit_error"), first),
    turn("You wait.", 0, { toolCalls: [call("order", { city: "Rome" }, "call_o")] }, later),
    turn("You wait.", 1, { content: "Ordered." }, result("call_o", "ordered")),
    turn("You stumble.", 0, refused(500, "server_error"), first),
    turn("You stumble.", 0, { content: "Here I am.\n<AGENT_DONE>Up again.</AGENT_DONE>" }, later),
    turn("You fall.", 0, refused(500, "server_error")),
    turn("You break off.", 0, order, first, { truncateAfterChunks: 12, latency: 10 }),
    turn("You break off.", 0, order, later),
    turn("You break off.", 1, { content: "Ordered." }, result("call_o", "ordered")),
    turn("You break twice.", 0, { toolCalls: order.toolCalls }, {}, { truncateAfterChunks: 8 }),
    turn("You limp.", 0, refused(500, "server_error"), { sequenceIndex: 0 }),
    turn("You limp.", 0, refused(429, "rate_limit_error"), { sequenceIndex: 1 }),
    turn("You limp.", 0, { content: "I have arrived." }, later),
    turn("You lead the ill.", 0, { toolCalls: [call("ask_writer", { task: "Write." }, "call_w")] }),
    turn("You lead the ill.", 1, { content: "Half of it." }, result("call_w", "could not be done")),
    turn("You are ill.", 0, refused(500, "server_error")),
    turn("You stand in.", 0, { content: "I answer." }),
    turn("You think for ever.", 0, { content: "never" }, {}, { latency: 600_000 }),
    turn("You order for ever.", 0, { toolCalls: order.toolCalls }, {}, stalls),
    turn("You talk for ever.", 0, { content: "one two three four five six seven" }, {}, stalls),
];

const deep = "You think first.";
const thoughts = { reasoning: "I need the weather.", reasoningSignature: "c2lnbmVk", redactedThinking: ["aGlkZGVu"] };
const umbrella = "Take an umbrella. <AGENT_DONE>Umbrella.</AGENT_DONE>";
const thinking = [
    turn(deep, 0, { ...thoughts, toolCalls: [weather("Rome")] }),
    turn(deep, 1, { reasoning: "It is wet.", reasoningSignature: "c2lnbmVk", content: umbrella },
        result("call_rome", "rain in Rome")),
    turn(judge, 0, { content: "ACTION: RETRY\nCONFIDENCE: 1\nFEEDBACK: Say which umbrella." }, said("Take an umbrella.")),
    turn(deep, 2, { content: "There, too." }, said("And in Oslo?")),
    turn(deep, 2, { ...thoughts, toolCalls: [weather("Oslo")] }, said("Say which umbrella.")),
    turn(deep, 3, { ...thoughts, content: "Take the red one." }, result("call_oslo", "rain in Oslo")),
    turn(judge, 0, { content: "ACTION: ACCEPT\nCONFIDENCE: 1" }, said("Take the red one.")),
];

// Graph files, which the program runs.
const read = (id) => call("read_file", { path: "today.txt" }, id);
const notes = "You read notes.";
const library = "You keep a library.";
const newsroom = "Ask the archivist for the degrees.";
const archive = "You look things up in the archive.";
const sentence = "It rains in Bergen, at 7 degrees.";
const files = [
    turn(notes, 0, { content: "I read it. ", toolCalls: [read("call_read")] }, said("How is the weather?")),
    turn(notes, 1, { content: "As the note says 😀: rain." }, result("call_read", "It rains in Rome.")),
    turn(newsroom, 0, { toolCalls: [call("delegate_to_sub_agent", { agent_id: "archivist", task: "How warm is it?" },
        "call_ask")] }, said("place: Bergen")),
    turn(archive, 0, { toolCalls: [call("set_output", { key: "found", value: "7 degrees" }, "call_found")] },
        said("How warm is it?")),
    turn(newsroom, 1, { toolCalls: [output(sentence, "call_report"), call("set_output", { key: "sources",
        value: ["the archive"] }, "call_sources")] }, result("call_ask", "7 degrees")),
    turn(judge, 0, { content: "ACTION: ACCEPT\nCONFIDENCE: 95%" }, said(sentence)),
    turn(library, 0, { toolCalls: [call("list_files", {}, "call_list")] }, said("What is there?")),
    turn(library, 1, { content: "<AGENT_DONE>There is today.txt.</AGENT_DONE>" }, result("call_list", "today.txt")),
    turn(library, 2, { content: "<AGENT_DONE>One file.</AGENT_DONE>" }, said("How many?")),
    turn("You are slow.", 0, { content: "one two three four five six seven" }, first, stalls),
    turn("You are slow.", 0, { content: "I am there at last." }, later),
    turn("You are the desk.", 0, { toolCalls: [call("transfer_to_shelf", {}, "call_go")] }, said("Read today.txt.")),
    turn("You are the shelf.", 1, { toolCalls: [read("call_shelf")] }),
    turn("You are the shelf.", 2, { content: "It rains in Rome." }, result("call_shelf", "It rains in Rome.")),
];

/** The same for APIs that the mock reads as several messages for one reply, or that have no ids of calls. */
export function loosely([match, response, options]) {
    const { turnIndex, toolCallId, toolResultContains, ...rest } = match;
    const predicate = ({ messages }) => {
        const replies = messages.filter(({ role }, at) => role === "assistant" && messages[at - 1]?.role !== role);
        const last = messages.at(-1);
        return (turnIndex === undefined || replies.length === turnIndex) &&
            (toolCallId === undefined || last.role === "tool") &&
            (toolResultContains === undefined || last.content.includes(toolResultContains));
    };
    return [{ ...rest, predicate }, response, options];
}

export const fixtures = [files, thinking, turns, loops, chats, react, team, office, panel, mcp, failures].flat();
