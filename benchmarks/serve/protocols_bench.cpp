#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"

#include "serve/a2a/a2a_writer.hpp"
#include "serve/ag_ui/ag_ui_writer.hpp"
#include "serve/feed/run_feed.hpp"
#include "serve/mcp/run_teller.hpp"
#include "serve/openai/completion_writer.hpp"
#include "serve/openai/response_writer.hpp"
#include "serve/order/run_following.hpp"
#include "serve/wire/stream_frames.hpp"
#include "tool/mcp_server/mcp_core.hpp"

#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/graph/state/written_values.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft_bench {

namespace {

using namespace weft::serve_detail;
using writer_maker = std::function<std::unique_ptr<run_writer>()>;
using recorded_run = std::vector<std::shared_ptr<const feed_event>>;

inline constexpr weft::state_key<weft::list<weft::message>, weft::append> conversation{"messages"};
inline constexpr weft::state_key<int> turns{"turns"};

constexpr std::size_t pieces = 200;

const weft::graph& chat()
{
    static const weft::graph of = weft::graph_builder{"chat"}
                                      .state(conversation, turns)
                                      .node("talk", [](weft::node_context&) {})
                                      .edge(weft::start, "talk")
                                      .build();
    return of;
}

weft::run_event event_of(weft::run_event::kind what, std::uint64_t id)
{
    weft::run_event event;
    event.what = what;
    event.id = event.sequence = id;
    event.run = weft::run_id{};
    event.node = "talk";
    event.visit = 1;
    return event;
}

std::shared_ptr<const weft::written_values> values_with(std::string said, int turn)
{
    weft::state values{chat().layout()};
    weft::list<weft::message> all{weft::message::user("Tell me of the rain.")};
    if (!said.empty()) all.push_back(weft::message::assistant(std::move(said)));
    values.writable(chat().layout()->find("messages")) = weft::make_box<weft::list<weft::message>>(std::move(all));
    values.writable(chat().layout()->find("turns")) = weft::make_box<int>(turn);
    return std::make_shared<const weft::written_values>(weft::write_set{}, std::move(values), false);
}

/** What happens in a turn of a chat: a model writes some hundred pieces. */
std::vector<weft::run_event> turn_of_chat()
{
    std::vector<weft::run_event> events;
    const auto add = [&](weft::run_event::kind what) -> weft::run_event& {
        return events.emplace_back(event_of(what, events.size() + 1));
    };
    add(weft::run_event::kind::run_started).written = values_with({}, 1);
    add(weft::run_event::kind::node_started);
    std::string said;
    for (std::size_t i = 0; i < pieces; ++i) {
        weft::run_event& piece = add(weft::run_event::kind::output);
        piece.label = "output";
        piece.text = "some words ";
        said.append(piece.text);
    }
    add(weft::run_event::kind::node_succeeded);
    add(weft::run_event::kind::state_written).written = values_with(std::move(said), 2);
    add(weft::run_event::kind::run_finished);
    return events;
}

/** LangGraph's first protocol, as chats ask for it. */
class langgraph_stream final : public run_writer {
public:
    langgraph_stream()
    {
        for (const stream_mode mode : {stream_mode::updates, stream_mode::messages_tuple, stream_mode::values})
            view_.modes.add(mode);
    }
    std::string_view protocol() const noexcept override { return "langgraph"; }
    event_frames frames(const feed_event& event) override { return frames_of(event, view_); }
    void end(std::string&, const run_ending&) override {}
    last_word_function last_word() const noexcept override { return nullptr; }

private:
    stream_view view_;
};

std::unique_ptr<run_writer> make_langgraph() { return std::make_unique<langgraph_stream>(); }

std::shared_ptr<const hosted_graph> served_chat()
{
    static const auto of = std::make_shared<const hosted_graph>(chat());
    return of;
}

std::unique_ptr<run_writer> make_ag_ui()
{
    agent_run_names names;
    names.thread = "t";
    names.run = "r";
    names.own_run = weft::run_id{}.text();
    names.speaks_v1 = true;
    return std::make_unique<ag_ui_writer>(std::move(names), served_chat());
}

std::unique_ptr<run_writer> make_completion()
{
    completion_frame frame;
    frame.id = "chatcmpl-1";
    frame.model = "chat";
    return std::make_unique<completion_writer>(std::move(frame), run_transcript{served_chat()});
}

std::unique_ptr<run_writer> make_response()
{
    const auto now = [] { return std::int64_t{1}; };
    return std::make_unique<response_writer>(response_frame{}, run_transcript{served_chat()}, std::nullopt, now);
}

std::unique_ptr<run_writer> make_a2a()
{
    a2a_envelope envelope;
    envelope.is_rpc = true;
    envelope.id = 1;
    a2a_task first;
    first.context = "t";
    first.graph = served_chat();
    return std::make_unique<a2a_writer>(std::move(envelope), std::move(first));
}

/** A call of a tool whose client wants progress. */
class mcp_telling final : public run_writer {
public:
    std::string_view protocol() const noexcept override { return "mcp"; }
    event_frames frames(const feed_event& event) override
    {
        teller_.tell(event);
        return std::exchange(out_->said, {});
    }
    void end(std::string& out, const run_ending&) override
    {
        out.append(weft::json_rpc_message::result(std::int64_t{1}, boost::json::object{}).text());
    }
    last_word_function last_word() const noexcept override { return nullptr; }

private:
    struct heard final : weft::mcp_detail::outlet {
        void send(std::string message, std::string, bool) override
        {
            said.push_back(std::make_shared<const std::string>(std::move(message)));
        }
        void finish(const weft::json_rpc_message&) override {}
        void abort() override {}
        event_frames said;
    };
    static weft::mcp_detail::mcp_core& core()
    {
        static weft::mcp_detail::mcp_core one{weft::mcp_server_options{}};
        return one;
    }
    static weft::json_rpc_message request()
    {
        boost::json::object params{{"_meta", {{"progressToken", 1}}}};
        return weft::json_rpc_message::request(std::int64_t{1}, "tools/call", std::move(params));
    }

    std::shared_ptr<heard> out_ = std::make_shared<heard>();
    weft::mcp_detail::served_call call_{core(), request(), {{}, {}, nullptr, out_}};
    weft::mcp_server_context context_{call_};
    run_teller teller_{context_, 0};
};

std::unique_ptr<run_writer> make_mcp() { return std::make_unique<mcp_telling>(); }

/** The writers of other protocols: each is a row. */
const std::vector<std::pair<std::string, writer_maker>>& protocols()
{
    static const std::vector<std::pair<std::string, writer_maker>> all{{"ag_ui", make_ag_ui},
                                                                       {"a2a", make_a2a},
                                                                       {"completions", make_completion},
                                                                       {"responses", make_response},
                                                                       {"mcp", make_mcp}};
    return all;
}

/** So many clients of a run get all of it, event by event. @return  CPU in ns, of an event and a client. */
double write_ns(const std::vector<writer_maker>& makers, std::size_t clients, std::size_t runs)
{
    static const std::vector<weft::run_event> happened = turn_of_chat();
    std::string out;
    const double before = thread_cpu_ns();
    for (std::size_t i = 0; i < runs; ++i) {
        std::vector<std::unique_ptr<run_writer>> writers;
        for (std::size_t client = 0; client < clients; ++client) writers.push_back(makers[client % makers.size()]());
        out.clear();
        for (const auto& writer : writers) writer->begin(out);
        for (const weft::run_event& one : happened) {
            const feed_event event{one};
            for (const auto& writer : writers) {
                for (const auto& frame : writer->frames(event)) out.append(*frame);
                if (out.size() > 1024 * 1024) out.clear();
            }
        }
        run_ending ending;
        ending.values = happened[happened.size() - 2].written->state();
        for (const auto& writer : writers) writer->end(out, ending);
    }
    return (thread_cpu_ns() - before) / static_cast<double>(runs * clients * happened.size());
}

}  // namespace

benchmarks protocol_benchmarks()
{
    benchmarks all;
    for (const auto& [name, make] : protocols()) {
        const std::vector<writer_maker> theirs{make};
        const std::vector<writer_maker> both{make_langgraph, make};
        all.push_back({"serve_write_" + name, "ns CPU",
                       "a run of 205 events, most of them pieces of a text, is written for one client: per event; "
                       "floor: the same for one of LangGraph",
                       "ratio <= 2", [theirs] {
                           return take_turns(
                               9, [&] { return write_ns(theirs, 1, amount<std::size_t>(200, 2)); },
                               [] { return write_ns({make_langgraph}, 1, amount<std::size_t>(200, 2)); });
                       }});
        all.push_back({"serve_write_" + name + "_mixed_1000", "ns CPU",
                       "the same for 1,000 clients of one run, half of them of LangGraph: per event and client; floor: "
                       "all of them of LangGraph",
                       "<= 200", [both] {
                           return take_turns(
                               5, [&] { return write_ns(both, amount<std::size_t>(1'000, 10), 1); },
                               [] { return write_ns({make_langgraph}, amount<std::size_t>(1'000, 10), 1); });
                       }});
    }
    return all;
}

}  // namespace weft_bench
