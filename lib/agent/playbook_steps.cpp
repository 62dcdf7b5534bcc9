#include "playbook_steps.hpp"

#include "agent_call.hpp"

#include <weft/agent/watched.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/engine/engine.hpp>
#include <weft/graph/node_context.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

namespace weft::agent_detail {

// Not unnamed: the frames of coroutines have them as fields.

/** What an agent of a playbook leaves, as it is written down. */
struct playbook_hand_back {
    playbook_hand_back() {}

    std::string reply{};
    agent_stop stop = agent_stop::none;
    std::string failure{};
};
BOOST_DESCRIBE_STRUCT(playbook_hand_back, (), (reply, stop, failure))

/** A node of a playbook at work. */
class playbook_visit {
public:
    playbook_visit(const playbook_parts& own, std::size_t index, node_context& node)
        : own_{own}, what_{own.of.nodes[index]}, node_{node}
    {
    }
    static task<command> make(std::shared_ptr<const playbook_parts> own, std::size_t index, node_context& node);
    static task<playbook_hand_back> run_agent(const playbook_visit& self, std::string prompt, std::string thread);

    [[nodiscard]] std::string filled(std::string_view text) const;
    void keep(boost::json::value result, std::string thread = {});

private:
    static task<command> do_agent(playbook_visit& self);
    static task<command> do_tool_call(playbook_visit& self);
    static task<command> do_router(playbook_visit& self);
    static task<command> do_loop(playbook_visit& self);
    static task<std::string> ask(playbook_visit& self, std::string question);
    [[nodiscard]] command do_condition();
    [[nodiscard]] command end_or_go_on(playbook_loop& loop, bool holds);
    [[nodiscard]] boost::json::array body_results() const;
    void join();
    [[nodiscard]] std::string place() const { return "node '" + what_.id + "'"; }
    [[nodiscard]] bool leads(std::string_view handle) const;

    const playbook_parts& own_;
    const playbook_node& what_;
    node_context& node_;
};

/** The work of an agent as an effect. */
class playbook_agent_call {
public:
    playbook_agent_call(const playbook_visit& visit, std::string prompt, std::string thread)
        : visit_{visit}, prompt_{std::move(prompt)}, thread_{std::move(thread)}
    {
    }
    task<playbook_hand_back> operator()() const { return playbook_visit::run_agent(visit_, prompt_, thread_); }

private:
    const playbook_visit& visit_;
    std::string prompt_;
    std::string thread_;
};

/** Whether a node is on a way from the body of a loop back to it. */
bool lies_in_body(const playbook_definition& of, const std::string& loop, const std::string& id)
{
    std::vector<std::string> line;
    std::set<std::string> seen{loop};
    for (const playbook_edge& edge : of.edges)
        if (edge.source == loop && edge.handle == "loop-body" && seen.insert(edge.target).second)
            line.push_back(edge.target);
    for (std::size_t at = 0; at < line.size(); ++at)
        for (const playbook_edge& edge : of.edges)
            if (edge.source == line[at] && seen.insert(edge.target).second) line.push_back(edge.target);
    return std::find(line.begin(), line.end(), id) != line.end();
}

const boost::json::object& playbook_outputs(const node_context& node)
{
    static const boost::json::object none;
    const boost::json::object* const outputs = node.find(playbook_keys::outputs);
    return outputs ? *outputs : none;
}

std::string fill_in_node(const node_context& node, std::string_view text)
{
    const boost::json::value* const trigger = node.find(playbook_keys::trigger);
    const boost::json::value nothing;
    return fill_playbook_text(text, {trigger ? *trigger : nothing, playbook_outputs(node)});
}

void keep_playbook_output(node_context& node, const playbook_node& of, boost::json::value result, std::string thread)
{
    const auto now = node.loop().clock().system_now().time_since_epoch();
    boost::json::object record;
    record["nodeId"] = of.id;
    record["label"] = of.name();
    record["subtype"] = of.subtype;
    record["result"] = std::move(result);
    if (!thread.empty()) record["threadId"] = thread;
    record["completedAt"] = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
    boost::json::object update;
    update[of.name()] = std::move(record);
    node.set(playbook_keys::outputs, std::move(update));
}

std::string playbook_visit::filled(std::string_view text) const { return fill_in_node(node_, text); }

void playbook_visit::keep(boost::json::value result, std::string thread)
{
    keep_playbook_output(node_, what_, std::move(result), std::move(thread));
}

bool playbook_visit::leads(std::string_view handle) const
{
    for (const playbook_edge& edge : own_.of.edges)
        if (edge.source == what_.id && edge.handle == handle) return true;
    return false;
}

task<command> playbook_visit::make(std::shared_ptr<const playbook_parts> own, std::size_t index, node_context& node)
{
    using enum playbook_subtype;
    playbook_visit self{*own, index, node};
    command answer = command::next();
    switch (playbook_subtype_named(self.what_.subtype).value_or(merge)) {
    case trigger: self.keep(node.value_or(playbook_keys::trigger, {})); break;
    case playbook_subtype::agent: answer = co_await do_agent(self); break;
    case playbook_subtype::tool_call: answer = co_await do_tool_call(self); break;
    case playbook_subtype::router: answer = co_await do_router(self); break;
    case playbook_subtype::loop: answer = co_await do_loop(self); break;
    case playbook_subtype::condition: answer = self.do_condition(); break;
    case wait: {
        const double unit = self.what_.unit == "hours" ? 3600 : self.what_.unit == "minutes" ? 60 : 1;
        co_await sleep_for(std::chrono::milliseconds{static_cast<std::int64_t>(self.what_.amount * unit * 1000)});
        self.keep(self.what_.amount);
        break;
    }
    case parallel:
    case sub_workflow: break;
    case merge: self.join(); break;
    case response: {
        std::string text = self.filled(self.what_.prompt);
        node.emit("response", text);
        self.keep(boost::json::string_view{text});
        node.set(playbook_keys::response, std::move(text));
        break;
    }
    case user_input: {
        question asked{self.filled(self.what_.prompt)};
        boost::json::value said = co_await node.interrupt(std::move(asked));
        self.keep(std::move(said));
        break;
    }
    case transfer: {
        playbook_transfer to;
        to.workflow = self.what_.workflow;
        to.payload = self.filled(self.what_.prompt);
        self.keep(boost::json::string_view{to.workflow});
        node.set(playbook_keys::transfer, std::move(to));
        answer = command::end();
        break;
    }
    }
    co_return answer;
}

task<playbook_hand_back> playbook_visit::run_agent(const playbook_visit& self, std::string prompt, std::string thread)
{
    node_context& node = self.node_;
    const auto life = std::make_shared<life_sign>();
    run_options limits = agent_run_options();
    limits.draws_on(node.budget());
    run_request request{thread};
    std::move(request).input(agent_keys::input, std::move(prompt)).options(std::move(limits));
    std::move(request).on_event([life, &node](const run_event& event) {
        life->show();
        if (event.what == run_event::kind::output) node.emit(event.label, event.text);
    });
    std::function<void(std::uint32_t)> on_bump = [&node, thread](std::uint32_t bump) {
        node.emit("warning", "the agent " + thread + " is silent (" + std::to_string(bump) + ")");
    };
    const engine runs{*self.own_.agent};
    task<run_result> work = runs.run(std::move(request));
    const run_result result =
        co_await watched(std::move(work), life, self.own_.options.watch, "agent " + thread, std::move(on_bump));
    if (result.status == run_status::cancelled) throw error{errc::cancelled, "agent " + thread};
    if (result.status == run_status::failed) throw error{result.why->code, "agent " + thread, result.why->message};
    const agent_status& status = result.state.get(agent_keys::status);
    playbook_hand_back back;
    back.stop = result.was_cut_short ? agent_stop::max_loops : status.stop;
    back.reply = status.reply;
    back.failure = back.stop == agent_stop::max_loops ? "it went round too often" : status.failure;
    co_return back;
}

task<command> playbook_visit::do_agent(playbook_visit& self)
{
    std::string prompt = self.filled(self.what_.prompt);
    prompt.append("\n\n").append(hand_back_instructions());
    const std::string thread =
        std::string{self.node_.thread()} + "/" + self.what_.id + "#" + std::to_string(self.node_.visit());
    const playbook_agent_call call{self, std::move(prompt), thread};
    const playbook_hand_back back = co_await self.node_.once("agent", call);
    if (back.stop != agent_stop::done && back.stop != agent_stop::blocked)
        co_return command::fail("the agent did not come to an end: " +
                                (back.failure.empty() ? back.reply : back.failure));
    const bool is_blocked = back.stop == agent_stop::blocked;
    const std::string result = is_blocked ? "[BLOCKED] " + back.reply : back.reply;
    self.keep(boost::json::string_view{result}, thread);
    co_return command::next();
}

task<command> playbook_visit::do_tool_call(playbook_visit& self)
{
    const boost::json::value* const trigger = self.node_.find(playbook_keys::trigger);
    const boost::json::value nothing;
    const playbook_values values{trigger ? *trigger : nothing, playbook_outputs(self.node_)};
    weft::tool_call wanted;
    wanted.id = self.what_.id + "-" + std::to_string(self.node_.visit());
    wanted.name = self.what_.tool;
    wanted.arguments = boost::json::serialize(fill_playbook_json(self.what_.arguments, values));
    std::vector<weft::tool_call> calls;
    calls.push_back(std::move(wanted));
    task<std::vector<message>> work = use_tools_in_node(*self.own_.runner, std::move(calls), self.node_);
    std::function<void(std::uint32_t)> nobody;
    std::vector<message> answers = co_await watched(std::move(work), std::make_shared<life_sign>(),
                                                    self.own_.options.watch, self.place(), std::move(nobody));
    const std::string text = answers.front().text();
    if (answers.front().is_error) co_return command::fail("the tool '" + self.what_.tool + "' failed: " + text);
    self.keep(boost::json::string_view{text});
    co_return command::next();
}

task<std::string> playbook_visit::ask(playbook_visit& self, std::string question)
{
    chat_request request;
    request.system("You decide the next step of a workflow. Answer with the choice alone.").user(std::move(question));
    request.model = self.own_.options.agent.model_name;
    request.temperature = 0;
    const agent_reply reply = co_await ask_in_node(*self.own_.model, std::move(request), self.node_,
                                                   self.own_.options.watch.orchestrator_max);
    co_return reply.message.text();
}

task<command> playbook_visit::do_router(playbook_visit& self)
{
    std::string question = self.filled(self.what_.prompt);
    question += "\n\nChoose one of:";
    for (const std::string& route : self.what_.routes) question += "\n- " + route;
    const std::string answer = co_await ask(self, std::move(question));
    const std::size_t route = playbook_route_in(answer, self.what_.routes);
    self.keep(boost::json::string_view{self.what_.routes[route]});
    co_return command::label("route-" + std::to_string(route));
}

command playbook_visit::do_condition()
{
    const bool holds = playbook_condition_holds(filled(what_.condition));
    keep(holds);
    return command::label(holds ? "condition-true" : "condition-false");
}

/** What the nodes that lead back to the loop left last. */
boost::json::array playbook_visit::body_results() const
{
    boost::json::array results;
    const boost::json::object& outputs = playbook_outputs(node_);
    for (const playbook_edge& edge : own_.of.edges) {
        if (edge.target != what_.id || !lies_in_body(own_.of, what_.id, edge.source)) continue;
        const playbook_node* const source = own_.of.find(edge.source);
        const boost::json::value* const record = source ? outputs.if_contains(source->name()) : nullptr;
        if (!record) continue;
        const boost::json::value* const result = record->as_object().if_contains("result");
        if (result) results.push_back(*result);
    }
    return results;
}

task<command> playbook_visit::do_loop(playbook_visit& self)
{
    playbook_loop loop;
    const boost::json::object* const loops = self.node_.find(playbook_keys::loops);
    const boost::json::value* const kept = loops ? loops->if_contains(self.what_.id) : nullptr;
    if (kept) loop = from_json<playbook_loop>(*kept);
    bool holds = false;
    if (!loop.is_active) {
        loop = playbook_loop{};
        loop.is_active = true;
    } else {
        ++loop.iterations;
        loop.results.push_back(self.body_results());
        std::string condition = self.filled(self.what_.condition);
        if (self.what_.condition_mode == "llm") {
            condition += "\n\nDoes this hold now? Answer yes or no.\n\nThe last result: " +
                         boost::json::serialize(loop.results.back());
            const std::string answer = co_await ask(self, std::move(condition));
            holds = playbook_route_in(answer, {"no", "yes", "true"}) != 0;
        } else {
            holds = playbook_condition_holds(condition);
        }
    }
    co_return self.end_or_go_on(loop, holds);
}

command playbook_visit::end_or_go_on(playbook_loop& loop, bool holds)
{
    const std::string_view reason = playbook_loop_end(loop, what_.max_iterations, leads("loop-body"), holds);
    if (!reason.empty()) {
        boost::json::object result;
        result["totalIterations"] = loop.iterations;
        result["exitReason"] = boost::json::string_view{reason.data(), reason.size()};
        result["iterationResults"] = std::move(loop.results);
        keep(std::move(result));
        loop = playbook_loop{};
    }
    boost::json::object update;
    update[what_.id] = to_json(loop);
    node_.set(playbook_keys::loops, std::move(update));
    return command::label(reason.empty() ? "loop-body" : "loop-exit");
}

/** Tells what the branches left and which of them failed. */
void playbook_visit::join()
{
    boost::json::object results;
    boost::json::array failed;
    const boost::json::object& outputs = playbook_outputs(node_);
    for (const playbook_edge& edge : own_.of.edges) {
        if (edge.target != what_.id) continue;
        const playbook_node* const source = own_.of.find(edge.source);
        const boost::json::value* const record = source ? outputs.if_contains(source->name()) : nullptr;
        if (record) results[source->name()] = record->as_object().at("result");
    }
    for (const branch_result& branch : node_.branches()) {
        if (!branch.error) continue;
        failed.push_back(boost::json::string_view{branch.error->message});
        node_.emit("warning", "a branch failed: " + branch.error->message);
    }
    if (!failed.empty()) results["failed"] = std::move(failed);
    keep(std::move(results));
}

task<command> playbook_step::operator()(node_context& node) const { return playbook_visit::make(parts_, index_, node); }

subgraph playbook_inside(std::shared_ptr<const playbook_parts> parts, std::size_t index, graph inner)
{
    const auto first = [parts, index](const node_context& outer) {
        state_update values;
        const std::string payload = fill_in_node(outer, parts->of.nodes[index].prompt);
        values.set(playbook_keys::trigger, boost::json::value{boost::json::string_view{payload}});
        return values;
    };
    const auto last = [parts, index](const state& left, node_context& outer) {
        const std::string* const said = left.find(playbook_keys::response);
        boost::json::value result;
        if (said) result = boost::json::string_view{*said};
        else if (const boost::json::object* const outputs = left.find(playbook_keys::outputs)) result = *outputs;
        keep_playbook_output(outer, parts->of.nodes[index], std::move(result), {});
        const playbook_transfer* const to = left.find(playbook_keys::transfer);
        if (!to || to->workflow.empty()) return command::next();
        outer.set(playbook_keys::transfer, *to);  // what is around it ends as well
        return command::end();
    };
    return subgraph{std::move(inner)}.inputs(std::vector<key_mapping>{}).inputs(first).outputs(last);
}

}  // namespace weft::agent_detail
