#include "agent_graph.hpp"

#include <weft/agent/turn_agent.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/subgraph.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/store/content_hash.hpp>
#include <weft/tool/mcp_stdio_transport.hpp>
#include <weft/tool/mcp_tools.hpp>

#include <boost/describe/class.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace weft_crash {

namespace {

constexpr std::int64_t talks = 3;  // of writer and critic

constexpr weft::state_key<std::string> topic{"topic"};
constexpr weft::state_key<std::string> found{"found"};
constexpr weft::state_key<std::string> wanted{"wanted"};
constexpr weft::state_key<std::string> draft{"draft"};
constexpr weft::state_key<std::string> critique{"critique"};
constexpr weft::state_key<std::int64_t> talk{"talk"};

constexpr std::string_view mark_begin = "[[";
constexpr std::string_view mark_end = "]]";

using notes_ptr = std::shared_ptr<const weft_tests::ledger>;

std::string marked_thread(const std::string& text)
{
    const std::size_t begin = text.find(mark_begin);
    const std::size_t end = text.find(mark_end, begin);
    if (end == text.npos) return "nobody";
    return text.substr(begin + mark_begin.size(), end - begin - mark_begin.size());
}

std::string digest(const std::string& text) { return weft::hash_of(text, weft::hash_key{}).text().substr(0, 12); }

std::string text_of(const weft::chat_request& request)
{
    std::string all;
    for (const weft::message& one : request.messages) all.append(one.text()).append("\n");
    return all;
}

/** Calls its tools, in as many turns as it has, and then says something that depends on all that it was told. */
class telling_model final : public weft::chat_model {
public:
    telling_model(std::string name, std::vector<std::vector<std::string>> tools, notes_ptr notes)
        : name_{std::move(name)}, tools_{std::move(tools)}, notes_{std::move(notes)}
    {
    }
    [[nodiscard]] std::string_view label() const noexcept override { return name_; }

private:
    [[nodiscard]] weft::task<weft::chat_reply> do_reply(weft::chat_request request, weft::chat_sink& sink) override
    {
        weft::chat_reply reply = reply_to(request);
        if (!reply.message.text().empty()) sink.on_text(reply.message.text());
        co_return reply;
    }
    [[nodiscard]] weft::chat_reply reply_to(const weft::chat_request& request) const
    {
        const std::string heard = text_of(request);
        const std::string what = digest(without_marks(heard));
        const std::string thread = marked_thread(heard);
        notes_->note({"effect", thread, name_ + "." + what, request.call_id});
        const auto said = static_cast<std::size_t>(
            std::count_if(request.messages.begin(), request.messages.end(),
                          [](const weft::message& one) { return one.role == weft::role::assistant; }));
        weft::chat_reply reply;
        reply.stop = weft::stop_reason::stop;
        reply.usage.input = weft::tokens{static_cast<std::int64_t>(request.messages.size())};
        reply.usage.output = weft::tokens{1};
        const std::string words = name_ + " says " + what + thread_mark(thread);
        reply.message = weft::message::assistant(said < tools_.size() ? "" : words);
        if (said >= tools_.size()) return reply;
        for (const std::string& tool : tools_[said]) {
            weft::tool_call call;
            call.id = name_ + "-" + what + "-" + std::to_string(reply.message.tool_calls.size());
            call.name = tool;
            call.arguments = R"({"what": ")" + what + R"(", "thread": ")" + thread + R"("})";
            reply.message.tool_calls.push_back(std::move(call));
        }
        reply.stop = weft::stop_reason::tool_calls;
        return reply;
    }

    std::string name_;
    std::vector<std::vector<std::string>> tools_;
    notes_ptr notes_;
};

struct looked_for {
    std::string what;
    std::string thread;
};
BOOST_DESCRIBE_STRUCT(looked_for, (), (what, thread))

weft::turn_agent make_agent(std::string name, std::vector<std::vector<std::string>> calls, weft::tool_set tools,
                            const notes_ptr& notes)
{
    weft::turn_agent_options options;
    options.name = name;
    options.models.push_back(std::make_shared<telling_model>(std::move(name), std::move(calls), notes));
    options.tools = std::move(tools);
    return weft::turn_agent{std::move(options)};
}

weft::tool_set tools_of(std::vector<std::shared_ptr<weft::tool>> archive, const notes_ptr& notes)
{
    weft::tool_set tools;
    tools.add("look", "Looks something up.", [notes](looked_for asked, weft::tool_context& of) {
        notes->note({"effect", of.thread, "look." + asked.what, of.idempotency_key});
        return "seen " + asked.what;
    });
    for (std::shared_ptr<weft::tool>& tool : archive) tools.add(std::move(tool));
    return tools;
}

weft::graph desk_graph(std::vector<std::shared_ptr<weft::tool>> archive, const notes_ptr& notes)
{
    const weft::turn_agent researcher =
        make_agent("researcher", {{"look", "archive__fetch"}, {"archive__file", "look"}, {"archive__fetch"}},
                   tools_of(std::move(archive), notes), notes);
    const weft::turn_agent writer = make_agent("writer", {{"look"}}, tools_of({}, notes), notes);
    const weft::turn_agent critic = make_agent("critic", {}, {}, notes);
    weft::graph_builder builder{"desk"};
    builder.state(topic, found, wanted, draft, critique, talk);
    builder.node("open", [](weft::node_context& at) {
        at.set(topic, "Tell of rain. " + thread_mark(std::string{at.thread()}));
    });
    builder.node("research", researcher.as_node().inputs({{"task", "topic"}}).outputs({{"found", "answer"}}));
    builder.node("ask", [](weft::node_context& at) {
        at.set(talk, at.value_or(talk, 0) + 1);
        at.set(wanted, at.get(found) + "; " + at.value_or(critique, std::string{"nothing was said yet"}));
    });
    builder.node("write", writer.as_node().inputs({{"task", "wanted"}}).outputs({{"draft", "answer"}}));
    builder.node("judge", critic.as_node().inputs({{"task", "draft"}}).outputs({{"critique", "answer"}}));
    builder.edge(weft::start, "open").edge("open", "research").edge("research", "ask").edge("ask", "write");
    builder.edge("write", "judge");
    builder.edge_when("judge", "ask", [](const weft::state_view& at) { return at.value_or(talk, 0) < talks; });
    return builder.edge("judge", weft::end).build();
}

}  // namespace

std::string thread_mark(const std::string& thread)
{
    return std::string{mark_begin} + thread + std::string{mark_end};
}

std::string without_marks(std::string text)
{
    for (std::size_t begin = text.find(mark_begin); begin != text.npos; begin = text.find(mark_begin, begin)) {
        const std::size_t end = text.find(mark_end, begin);
        if (end == text.npos) break;
        text.erase(begin, end + mark_end.size() - begin);
    }
    return text;
}

weft::task<agents_at_work> hire_agents(notes_ptr notes, std::string ledger)
{
    weft::mcp_program program;
    program.command = {"/proc/self/exe", "--archive", std::move(ledger)};
    agents_at_work hired;
    hired.archive = std::make_unique<weft::mcp_client>(weft::mcp_stdio(std::move(program)));
    weft::task<void> connecting = hired.archive->connect();
    co_await std::move(connecting);
    weft::mcp_tools_options options;
    options.prefix = "archive";
    options.trusts_hints = true;
    weft::task<std::vector<std::shared_ptr<weft::tool>>> listing = weft::mcp_tools(*hired.archive, std::move(options));
    std::vector<std::shared_ptr<weft::tool>> tools = co_await std::move(listing);
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(desk_graph(std::move(tools), notes));
    hired.graphs = std::move(graphs);
    co_return hired;
}

}  // namespace weft_crash
