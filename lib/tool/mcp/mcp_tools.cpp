#include <weft/tool/mcp_tools.hpp>

#include <weft/async/async_start.hpp>
#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/use_task.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/tool/tool_set.hpp>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <exception>
#include <optional>
#include <tuple>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t prefix_max = 24;

/** What the tools of one server share. Touched on the client's loop only, but for what never changes. */
struct tools_shared {
    tools_shared(mcp_client& from, mcp_tools_options given) : client{from}, options{std::move(given)} {}

    /** Whether a definition may be used. */
    task<bool> approves(mcp_tool definition, std::string before)
    {
        mcp_tool_change change;
        change.server = client.label();
        change.approved = std::move(before);
        change.fingerprint = mcp_fingerprint(definition);
        change.definition = std::move(definition);
        if (change.approved == change.fingerprint) co_return true;
        if (!options.approve) co_return false;
        const bool is_approved = co_await options.approve(std::move(change));
        co_return is_approved;
    }

    mcp_client& client;
    const mcp_tools_options options;
};

/** How a piece of a result reads; nothing for a picture, which stays one. */
std::string piece_text(const mcp_content& piece)
{
    using kind = mcp_content::kind;
    switch (piece.what) {
    case kind::text: return piece.text;
    case kind::audio: return "[audio, " + piece.mime_type + ", left out]";
    case kind::resource_link: return "[resource " + piece.uri + (piece.name.empty() ? "" : ": " + piece.name) + "]";
    case kind::resource:
        if (!piece.text.empty()) return "[resource " + piece.uri + "]\n" + piece.text;
        return "[resource " + piece.uri + ", " + piece.mime_type + ", bytes left out]";
    case kind::image:
    case kind::unknown: break;
    }
    return "[content of an unknown kind, left out]";
}

tool_result result_of(mcp_call_result from, const std::string& server, const std::string& name)
{
    tool_result result;
    for (mcp_content& piece : from.content) {
        if (piece.what == mcp_content::kind::image) {
            image_data picture{std::move(piece.mime_type), std::move(piece.data)};
            result.content.emplace_back(image_part{.data = std::move(picture)});
        } else {
            result.content.emplace_back(text_part{piece_text(piece)});
        }
    }
    // The model reads the texts, which say the same; programs get the value.
    if (!from.structured.is_null()) {
        if (result.content.empty()) result.content.emplace_back(json_part{from.structured});
        result.metadata["structured"] = std::move(from.structured);
    }
    result.is_error = from.is_error;
    result.metadata["mcp_server"] = server;
    result.metadata["mcp_tool"] = name;
    return result;
}

/** Carries progress to the loop of the call, and nowhere once the call has ended. */
struct progress_relay {
    explicit progress_relay(tool_context told) : context{std::move(told)} {}
    tool_context context;
};

std::string progress_text(const mcp_progress& step)
{
    if (!step.message.empty()) return step.message;
    std::string text = std::to_string(step.progress);
    if (step.total) text += " of " + std::to_string(*step.total);
    return text;
}

/** Keeps a loop waiting for what another one does. */
class outside_work {
public:
    explicit outside_work(serial_loop& waiting) : waiting_{waiting} { waiting_.add_outside_work(); }
    ~outside_work() { waiting_.remove_outside_work(); }
    outside_work(const outside_work&) = delete;
    outside_work& operator=(const outside_work&) = delete;

private:
    serial_loop& waiting_;
};

/** What a server may know of a call: the trace that it belongs to, and the key by which it does the call once. */
boost::json::object meta_of_call(const tool_context& of)
{
    boost::json::object meta;
    const auto run = of.node ? of.node->trace() : nullptr;
    if (!run && of.idempotency_key.empty()) return meta;
    const trace_context context = trace_context::of_call(run.get(), of.idempotency_key);
    meta["traceparent"] = context.parent;
    if (!context.state.empty()) meta["tracestate"] = context.state;
    if (!of.idempotency_key.empty()) meta["weft/idempotencyKey"] = of.idempotency_key;
    return meta;
}

class mcp_remote_tool final : public tool {
public:
    mcp_remote_tool(std::shared_ptr<tools_shared> shared, const mcp_tool& definition)
        : shared_{std::move(shared)}, name_{definition.name}, hints_{definition.hints},
          fingerprint_{mcp_fingerprint(definition)}
    {
        spec_.name = mcp_tool_name(shared_->options.prefix, name_);
        spec_.description = definition.description.empty() ? definition.title : definition.description;
        spec_.parameters = definition.input_schema;
    }

    tool_spec spec() const override { return spec_; }
    tool_traits traits() const override;
    task<tool_result> call(tool_invocation invocation) override;

private:
    task<tool_result> call_at_home(boost::json::object arguments, mcp_call_options options);
    task<bool> is_still_approved();

    std::shared_ptr<tools_shared> shared_;
    std::string name_;
    mcp_tool_hints hints_;
    tool_spec spec_;
    std::string fingerprint_;           // of the definition that was approved
    mcp_client::list<mcp_tool> seen_;   // the list that the fingerprint was compared with last
};

tool_traits mcp_remote_tool::traits() const
{
    tool_traits traits;
    const bool is_trusted = shared_->options.trusts_hints;
    traits.is_read_only = is_trusted && hints_.is_read_only;
    traits.is_idempotent = is_trusted && (hints_.is_idempotent || hints_.is_read_only);
    traits.is_destructive = !is_trusted || (hints_.is_destructive && !hints_.is_read_only);
    traits.timeout = shared_->options.timeout;
    traits.tags = {"mcp"};
    return traits;
}

task<tool_result> mcp_remote_tool::call(tool_invocation invocation)
{
    serial_loop& here = co_await this_task::loop();
    serial_loop& home = *shared_->client.loop();
    mcp_call_options options;
    options.timeout = shared_->options.timeout;
    const tool_traits known = traits();
    options.is_repeatable = known.is_idempotent;
    options.meta = meta_of_call(invocation.context);
    const auto relay = std::make_shared<progress_relay>(std::move(invocation.context));
    if (&here == &home) {
        if (relay->context.progress)
            options.on_progress = [relay](const mcp_progress& step) { relay->context.emit(progress_text(step)); };
        tool_result result = co_await call_at_home(std::move(invocation.arguments), std::move(options));
        co_return result;
    }
    if (relay->context.progress) {
        const std::weak_ptr<progress_relay> weak = relay;
        options.on_progress = [weak, to = here.executor()](const mcp_progress& step) {
            boost::asio::post(to, [weak, text = progress_text(step)] {
                if (const auto alive = weak.lock()) alive->context.emit(text);
            });
        };
    }
    task<tool_result> work = call_at_home(std::move(invocation.arguments), std::move(options));
    const outside_work waiting{here};
    auto started = async_start(home, std::move(work), use_task_result);
    std::tuple<std::exception_ptr, tool_result> ended = co_await started;
    if (std::get<0>(ended)) std::rethrow_exception(std::get<0>(ended));
    co_return std::move(std::get<1>(ended));
}

task<bool> mcp_remote_tool::is_still_approved()
{
    const mcp_client::list<mcp_tool> now = co_await shared_->client.tools();
    if (now == seen_) co_return true;
    const auto found = std::find_if(now->begin(), now->end(), [this](const mcp_tool& t) { return t.name == name_; });
    if (found == now->end()) co_return false;
    const mcp_tool definition = *found;
    const bool is_approved = co_await shared_->approves(definition, fingerprint_);
    if (is_approved) {
        fingerprint_ = mcp_fingerprint(definition);
        seen_ = now;
    }
    co_return is_approved;
}

task<tool_result> mcp_remote_tool::call_at_home(boost::json::object arguments, mcp_call_options options)
{
    const bool may_call = co_await is_still_approved();
    if (!may_call)
        co_return tool_result::error("The tool is not available: its server took it back, or changed its definition, "
                                     "and the new one is not approved.");
    mcp_call_result answer = co_await shared_->client.call_tool(name_, std::move(arguments), std::move(options));
    co_return result_of(std::move(answer), shared_->client.label(), name_);
}

/** Why no set takes a tool; nothing if one does. */
std::optional<std::string> refusal_of(std::shared_ptr<tool> offered)
{
    tool_set trial;
    try {
        trial.add(std::move(offered));
    } catch (const error& e) {
        return e.where().empty() ? e.detail() : e.where() + ": " + e.detail();
    }
    return std::nullopt;
}

void leave_out(const tools_shared& shared, std::string name, std::string reason)
{
    shared.client.complain("left out the tool '" + name + "': " + reason);
    mcp_refused_tool refused;
    refused.name = std::move(name);
    refused.reason = std::move(reason);
    if (shared.options.on_refused) shared.options.on_refused(refused);
}

void check_prefix(const std::string& prefix)
{
    if (prefix.size() > prefix_max || mcp_tool_name("", prefix) != prefix)
        throw error{errc::invalid_configuration, prefix,
                    "the prefix of an MCP server's tools is at most 24 of letters, digits, _ and -"};
}

}  // namespace

task<std::vector<std::shared_ptr<tool>>> mcp_tools(mcp_client& client, mcp_tools_options options)
{
    check_prefix(options.prefix);
    const auto shared = std::make_shared<tools_shared>(client, std::move(options));
    const mcp_client::list<mcp_tool> offered = co_await client.tools();
    std::vector<std::shared_ptr<tool>> made;
    std::map<std::string, std::string> taken;  // from our names to the server's
    for (const mcp_tool& definition : *offered) {
        if (shared->options.select && !shared->options.select(definition)) continue;
        const auto before = shared->options.approved.find(definition.name);
        if (before != shared->options.approved.end()) {
            const bool is_approved = co_await shared->approves(definition, before->second);
            if (!is_approved) continue;
        }
        auto remote = std::make_shared<mcp_remote_tool>(shared, definition);
        if (std::optional<std::string> why = refusal_of(remote)) {
            leave_out(*shared, definition.name, std::move(*why));
            continue;
        }
        const auto [at, is_new] = taken.emplace(remote->spec().name, definition.name);
        if (!is_new)
            throw error{errc::invalid_configuration, at->first,
                        "the tools '" + at->second + "' and '" + definition.name + "' of " + client.label() +
                            " get the same name: choose the tools that are wanted, without one of them"};
        made.push_back(std::move(remote));
    }
    co_return made;
}

}  // namespace weft
