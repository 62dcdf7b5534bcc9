#include "http_kind.hpp"

#include "agent/node/kind_checks.hpp"
#include "http_service.hpp"
#include "remote_retry.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/spec/environment_references.hpp>
#include <weft/graph/streaming.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

namespace weft {

namespace {

using agent_detail::http_plan;
using agent_detail::service_call;
using http_plan_pointer = std::shared_ptr<const http_plan>;

constexpr std::array<std::string_view, 5> http_methods{"GET", "POST", "PUT", "PATCH", "DELETE"};
constexpr std::int64_t http_reply_bytes_most = 256 * 1024 * 1024;

class http_node {
public:
    explicit http_node(http_plan_pointer plan) : plan_{std::move(plan)} {}

    [[nodiscard]] task<void> operator()(node_context& node) const { return work(plan_, node); }
    bool describe(node_spec& into, const state_layout&) const
    {
        into.kind = "http";
        into.settings = spec_detail::write_structure(plan_->settings);
        return true;
    }
    [[nodiscard]] std::vector<std::string> written_keys(const state_layout&) const { return plan_->keys.writes; }

    /** Calls the service with a body that is still written. */
    static task<void> send(http_plan_pointer plan, node_context& node, async_generator<std::string> pieces);

private:
    static task<void> work(http_plan_pointer plan, node_context& node);

    http_plan_pointer plan_;
};

task<void> http_node::work(http_plan_pointer plan, node_context& node)
{
    service_call call{plan, node};
    effect_options options;
    options.input = call.summary();
    const auto perform = [&call](const effect_context& effect) { return call.perform(effect.key()); };
    boost::json::value answer;
    std::exception_ptr failed;
    agent_detail::failed_attempt how;
    try {
        boost::json::value given = co_await node.once("http", std::move(options), perform);
        answer = std::move(given);
    } catch (const error& e) {
        failed = std::current_exception();
        how.code = e.code();
        how.has_told = call.has_told();
        how.retry_after = call.retry_after();
    }
    if (failed) {
        co_await agent_detail::between_attempts(node, plan->retry, how);
        std::rethrow_exception(failed);
    }
    agent_detail::write_answer(node, plan->keys, answer, "the service");
}

task<void> http_node::send(http_plan_pointer plan, node_context& node, async_generator<std::string> pieces)
{
    service_call call{plan, node};
    call.send(std::move(pieces));
    const effect_context effect = node.host().name_effect(node, "http");
    const boost::json::value answer = co_await call.perform(effect.key());
    agent_detail::write_answer(node, plan->keys, answer, "the service");
}

/** A node whose body is a text that goes out while it is written. */
class http_stream final : public stream_body {
public:
    explicit http_stream(const http_plan_pointer& plan) : stream_body{key_of(*plan), {}}, plan_{plan}, node_{plan} {}

    std::unique_ptr<running_stream> open(node_context&, running_stream*) const override { return nullptr; }
    task<void> read(node_context& node, running_stream& in) const override
    {
        return http_node::send(plan_, node, static_cast<typed_stream<std::string>&>(in).lend());
    }
    std::unique_ptr<running_stream> recorded(const value_box&) const override { return nullptr; }
    // A call that is written down is an effect of the node's own visit.
    bool begins_with_writer(const node_context& writer) const override { return !writer.host().keeps_effects(); }
    node_task make(node_context& node) const override { return node_task{node_(node)}; }
    bool describe(node_spec& into, const state_layout& keys) const override { return node_.describe(into, keys); }
    std::optional<std::vector<std::string>> written_keys(const state_layout& keys) const override
    {
        return node_.written_keys(keys);
    }

private:
    static any_state_key key_of(const http_plan& plan)
    {
        const std::string& name = plan.settings.body->stream;
        return {name, hash_of_name(name), &compiled_key<std::string>::type};
    }

    http_plan_pointer plan_;
    http_node node_;
};

// Reading files.

/** The template of a URL whose host stands in the file. */
std::optional<prompt_template> check_http_url(node_request& request, const std::string& text)
{
    std::optional<prompt_template> read = agent_detail::check_template(request, "url", text);
    if (!read) return std::nullopt;
    try {
        const auto sample = [&](const char* value) {
            return url{read->with([value](const prompt_template::place&) { return std::string{value}; })};
        };
        if (sample("a1").origin() != sample("a2").origin()) {
            request.mistake("url", "a key stands in the host: write it into the file, and keys behind it");
            return std::nullopt;
        }
    } catch (const error& e) {
        const char* const hint = read->places().empty() ? "" : "; scheme, host and port stand in the file, keys behind";
        request.mistake("url", "is no URL: " + e.detail() + hint);
        return std::nullopt;
    }
    return read;
}

/** Texts of variables do not matter yet: the environment is that of the run. */
void check_http_header(node_request& request, const json_path& at, const std::string& name, const std::string& value)
{
    const json_path here{at, std::string_view{name}};
    if (spec_detail::is_secret_header(name) && value.find("${") == value.npos)
        return request.mistakes().add(here, "a secret does not stand in a file: put it into a variable of the "
                                            "environment and write its name, as in \"Bearer ${SCORES_TOKEN}\"");
    const environment_lookup any = [](const std::string&) { return std::optional{std::string{"x"}}; };
    const std::size_t before = request.mistakes().count();
    const std::string text = spec_detail::resolved(value, any, here, request.mistakes());
    if (request.mistakes().count() != before) return;
    try {
        http_request{"POST", url{"http://localhost"}}.header(name, text);
    } catch (const error& e) {
        request.mistakes().add(here, e.detail());
    }
}

void check_http_numbers(node_request& request, const http_settings& settings)
{
    if (std::find(http_methods.begin(), http_methods.end(), settings.method) == http_methods.end())
        request.mistake("method", "is '" + settings.method + "': it is GET, POST, PUT, PATCH or DELETE");
    if (settings.timeout && settings.timeout->span().count() <= 0)
        request.mistake("timeout", "is longer than nothing, e.g. 30s");
    if (settings.reply_bytes_max < 1 || settings.reply_bytes_max > http_reply_bytes_most)
        request.mistake("reply_bytes_max", "is from 1 to " + std::to_string(http_reply_bytes_most));
}

void check_http_body(node_request& request, const http_settings& settings)
{
    if (!settings.body) return;
    const json_path body{request.settings_at(), "body"};
    const json_path at{body, "stream"};
    if (settings.method == "GET" || settings.method == "DELETE")
        return request.mistakes().add(body, "the method " + settings.method + " has no body: leave one of them out");
    const std::string& key = settings.body->stream;
    const std::uint32_t slot = request.layout().find(key);
    request.require_readable(at, key);
    if (slot != state_layout::none && request.layout()[slot].type != &compiled_key<std::string>::type)
        request.mistakes().add(at, "'" + key + "' is no text that is replaced: name a key of the type string");
}

std::shared_ptr<const node_body> make_http(node_request& request,
                                           const std::shared_ptr<const agent_detail::http_program>& program)
{
    std::optional<http_settings> settings = request.settings<http_settings>();
    if (!settings) return nullptr;
    const std::size_t before = request.mistakes().count();
    std::optional<prompt_template> target = check_http_url(request, settings->url);
    agent_detail::check_headers(request, settings->headers);
    check_http_numbers(request, *settings);
    check_http_body(request, *settings);
    http_plan plan;
    plan.keys = agent_detail::answer_target_of(request, settings->into);
    if (request.mistakes().count() != before || !target) return nullptr;
    plan.settings = std::move(*settings);
    plan.url = std::move(*target);
    plan.reads = request.spec().reads;
    plan.retry = request.options().retry;
    plan.program = program;
    const auto shared = std::make_shared<const http_plan>(std::move(plan));
    if (shared->settings.body) return std::make_shared<const http_stream>(shared);
    return make_node_body(http_node{shared});
}

}  // namespace

void agent_detail::check_headers(node_request& request, const std::map<std::string, std::string>& headers)
{
    const json_path at{request.settings_at(), "headers"};
    for (const auto& [name, value] : headers) check_http_header(request, at, name, value);
}

node_kind http_kind(http_node_options program)
{
    auto shared = std::make_shared<const agent_detail::http_program>(std::move(program));
    return {[shared = std::move(shared)](node_request& request) { return make_http(request, shared); }};
}

}  // namespace weft
