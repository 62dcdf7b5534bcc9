#include "http_service.hpp"

#include "agent/text/gathered_mistakes.hpp"
#include "agent/text/key_text.hpp"
#include "http_answer.hpp"

#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/base/text/percent_encoded.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/spec/environment_references.hpp>
#include <weft/tool/builtin/public_address.hpp>

#include <utility>

namespace weft::agent_detail {

namespace {

constexpr std::chrono::nanoseconds service_timeout_usual = std::chrono::minutes{1};

http_client_options strict_options(http_client_options options)
{
    options.address_filter = [own = std::move(options.address_filter)](std::string_view address) {
        return is_public_address(address) && (!own || own(address));
    };
    return options;
}

std::string piece_of_url(const node_context& node, const std::string& key)
{
    const key_value found = read_key(node, key);
    if (!found.has_value)
        throw error{errc::missing_state_value, place_of(node, key),
                    "the URL of the node names it: write it in an earlier node"};
    // Servers take these for steps in the path, encoded or not.
    if (found.text == "." || found.text == "..")
        throw error{errc::invalid_url, place_of(node, key), "its value '" + found.text + "' can be no piece of a URL"};
    return percent_encoded(found.text);
}

url filled_url(const http_plan& plan, const node_context& node)
{
    return url{plan.url.with([&](const prompt_template::place& at) { return piece_of_url(node, at.key); })};
}

bool sends_body(const std::string& method) { return method != "GET" && method != "DELETE"; }

}  // namespace

http_program::http_program(http_node_options given)
    : options{std::move(given)}, trusted{options.client}, strict{strict_options(options.client)}
{
}

bool is_trusted(const http_program& program, const url& service)
{
    return program.options.trusts && program.options.trusts(service);
}

budget_ledger::reservation reserve_service_call(const node_context& node)
{
    const std::shared_ptr<budget_ledger> ledger = node.budget();
    spending wanted;
    wanted.tool_calls = 1;
    return ledger ? ledger->reserve(wanted) : budget_ledger::reservation{};
}

void put_headers(http_request& request, const std::map<std::string, std::string>& headers,
                 const http_program& program, const std::string& place, std::vector<secret_string>& secrets)
{
    gathered_mistakes missing;  // variables of the environment
    const json_path whole;
    const json_path headers_at{whole, "headers"};
    const bool gets_secrets = is_trusted(program, request.target());
    for (const auto& [name, value] : headers) {
        const bool has_variable = value.find("${") != value.npos;
        if (has_variable && !gets_secrets)
            throw error{errc::invalid_configuration, place,
                        "the header " + name + " holds a variable of the environment, which goes to trusted services "
                        "only: trust the host, as with weft run --allow http=" + request.target().host()};
        const json_path at{headers_at, std::string_view{name}};
        std::string text = spec_detail::resolved(value, program.options.environment, at, missing);
        if (has_variable && missing.count() == 0) request.secret(name, secrets.emplace_back(text));
        else if (!has_variable) request.header(name, text);
    }
    if (missing.count() > 0) throw error{errc::invalid_configuration, place, missing.text()};
}

void put_trace(http_request& request, const trace_context* run, std::string_view key)
{
    const trace_context context = trace_context::of_call(run, key);
    request.header("traceparent", context.parent);
    if (!context.state.empty()) request.header("tracestate", context.state);
}

namespace {

/** The span of a call of a service, where its node's trace is recorded: the one that its headers name. */
class service_span {
public:
    service_span(const node_context& node, std::string_view key, const http_request& request)
        : trace_{node.trace()}, span_{.name = request.method(), .kind = span_kind::client}
    {
        if (!trace_ || !trace_->recorder) return;
        span_.parent = trace_->place().span;
        span_.place = trace_context::of_call(trace_.get(), key).place();
        span_.start = trace_->recorder->now();
        const url& target = request.target();
        span_.say(span_key::http_method, request.method()).say(span_key::url, target.origin());
        span_.say(span_key::server_address, target.host()).count(span_key::server_port, target.port());
    }
    /** @param error   Empty: there is none. */
    void end(std::string_view error) const
    {
        if (!trace_ || !trace_->recorder) return;
        span done = span_;
        done.has_failed = !error.empty();
        done.say(span_key::error_type, error).end = trace_->recorder->now();
        trace_->recorder->record(std::move(done));
    }

private:
    std::shared_ptr<const trace_context> trace_;
    span span_;
};

}  // namespace

service_call::service_call(std::shared_ptr<const http_plan> plan, node_context& node)
    : plan_{std::move(plan)}, node_{node}, target_{filled_url(*plan_, node)},
      is_trusted_{is_trusted(*plan_->program, target_)}
{
}

std::string service_call::place() const
{
    return "node '" + std::string{node_.node()} + "', " + target_.origin();
}

boost::json::object service_call::summary() const
{
    return {{"method", plan_->settings.method}, {"url", target_.to_string()}};
}

std::string service_call::without_secrets(std::string text) const
{
    for (const secret_string& secret : secrets_) text = secret.scrub(text);
    return text;
}

http_request service_call::make_request(const std::string& key)
{
    const http_settings& settings = plan_->settings;
    http_request request{settings.method, target_};
    request.header("accept", "application/json, text/event-stream, text/plain;q=0.5, */*;q=0.1");
    put_headers(request, settings.headers, *plan_->program, place(), secrets_);
    request.idempotency_key(key);
    put_trace(request, node_.trace().get(), key);
    if (sends_body(settings.method)) put_body(request);
    http_timeouts timeouts = plan_->program->options.client.timeouts;
    timeouts.first_byte = timeouts.gap = limit();
    request.timeouts(timeouts);
    return request;
}

void service_call::put_body(http_request& request)
{
    if (!plan_->settings.body) {
        request.body(to_json_text(object_of_reads(node_, plan_->reads, plan_->keys)), "application/json");
        return;
    }
    const std::string_view type = request.headers().contains("content-type") ? "" : "text/plain; charset=utf-8";
    if (pieces_) {
        request.body(*std::exchange(pieces_, std::nullopt), type);
        return;
    }
    const std::string& key = plan_->settings.body->stream;
    key_value text = read_key(node_, key);
    if (!text.has_value)
        throw error{errc::missing_state_value, place_of(node_, key),
                    "it is the body of the request: write it in an earlier node"};
    request.body(std::move(text.text), type);
}

std::chrono::nanoseconds service_call::limit() const
{
    return plan_->settings.timeout ? plan_->settings.timeout->span() : service_timeout_usual;
}

const http_client& service_call::client() const
{
    return is_trusted_ ? plan_->program->trusted : plan_->program->strict;
}

task<boost::json::value> service_call::perform(std::string key)
{
    http_request request = make_request(key);
    budget_ledger::reservation counted = reserve_service_call(node_);
    const service_span about{node_, key, request};
    task<boost::json::value> exchanging = request.streams_body()
                                              ? exchange_stream(std::move(request))
                                              : with_deadline(exchange(std::move(request)), limit());
    try {
        boost::json::value answer = co_await std::move(exchanging);
        about.end({});
        co_return answer;
    } catch (const error& e) {
        about.end(name_of(e.code()));
        if (e.code() == errc::timeout)
            throw error{errc::timeout, place(), "the service took longer than the node's setting timeout allows"};
        if (e.code() == errc::address_refused)
            throw error{errc::address_refused, place(),
                        "the host is not on the public internet: if it is a service of yours, trust it, as with weft "
                        "run --allow http=" + target_.host()};
        // Services repeat what they were sent, also in texts for people.
        throw error{e.code(), e.where(), without_secrets(e.detail())};
    }
}

task<boost::json::value> service_call::exchange(http_request request)
{
    http_response response = co_await client().send(std::move(request));
    boost::json::value answer = co_await read_answer(std::move(response));
    co_return answer;
}

task<boost::json::value> service_call::exchange_stream(http_request request)
{
    http_response response = co_await client().send(std::move(request));
    boost::json::value answer = co_await with_deadline(read_answer(std::move(response)), limit());
    co_return answer;
}

task<boost::json::value> service_call::read_answer(http_response response)
{
    const http_response_head head = response.head();
    if (is_refusal(head)) {
        const std::string told = co_await response.read_at_most(refusal_bytes_max);
        const std::optional<http_refusal> refusal = refusal_of(head, told);
        retry_after_ = refusal->retry_after;
        throw error{refusal->code, place(), refusal->detail};
    }
    if (head.media_type() == "text/event-stream") {
        boost::json::value answer = co_await read_events(std::move(response));
        co_return answer;
    }
    std::string body = co_await response.read_all(static_cast<std::size_t>(plan_->settings.reply_bytes_max));
    co_return value_of_body(head.media_type(), std::move(body), place());
}

task<boost::json::value> service_call::read_events(http_response response)
{
    event_answer events{place(), [this](std::string_view kind, std::string_view text) {
        has_told_ = true;
        node_.emit(kind, text);
    }};
    const auto most = static_cast<std::size_t>(plan_->settings.reply_bytes_max);
    for (std::size_t read = 0;;) {
        const std::string_view bytes = co_await response.read_some();
        read += bytes.size();
        if (read > most)
            throw error{errc::response_too_large, place(),
                        "the stream has more than the " + std::to_string(most) + " bytes of reply_bytes_max"};
        if (bytes.empty() || events.feed(bytes)) break;
    }
    events.finish();
    co_return std::move(events.answer());
}

}  // namespace weft::agent_detail
