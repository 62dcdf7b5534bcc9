#include "keyed_sending.hpp"

#include <optional>
#include <utility>

namespace weft::model_detail {

namespace {

constexpr std::size_t error_bytes_max = 64 * 1024;

/** What was done about a key, for an endpoint that refuses it. */
std::string key_text(const provider_options& options, const secret_string& sent)
{
    if (sent.empty()) return "; no key was sent";
    if (options.credentials) return "; the key of the source of credentials was sent";
    return "; the key of " + (options.key_origin.empty() ? "the model's options" : options.key_origin) + " was sent";
}

/** Sends a request; its writer outlives the task. */
task<http_response> send_once(const provider& from, const std::string& where, const request_writer& write,
                              const secret_string& key)
{
    http_request written = write(key);
    std::optional<http_response> response;
    std::optional<error> failure;
    try {
        http_response answered = co_await from.client.send(std::move(written));
        response.emplace(std::move(answered));
    } catch (const error& e) {
        failure = e;
    }
    if (failure) fail_request(where, *failure);
    co_return std::move(*response);
}

task<provider_answer> send_with_own_key(const provider& from, std::string where, request_writer write)
{
    http_response response = co_await send_once(from, where, write, from.options.key);
    provider_answer answer{std::move(response)};
    co_return std::move(answer);
}

/** What the source says, its errors told as those of a call. */
task<secret_string> asked_key(task<secret_string> asked, const std::string& where)
{
    secret_string key;
    std::optional<error> failure;
    try {
        secret_string told = co_await std::move(asked);
        key = std::move(told);
    } catch (const error& e) {
        const std::string source = e.where().empty() ? "" : e.where() + ": ";
        failure.emplace(e.code(), e.where(), "there is no key: " + source + e.detail());
    }
    if (failure) fail_request(where, *failure);
    co_return key;
}

/** With the key of the source, and with another one after a 401. */
task<provider_answer> send_with_source(const provider& from, std::string where, request_writer write)
{
    constexpr int unauthorized = 401;
    credential_source& source = *from.options.credentials;
    secret_string first = co_await asked_key(source.current(), where);
    http_response response = co_await send_once(from, where, write, first);
    provider_answer answer{std::move(response)};
    answer.key = std::move(first);
    if (answer.response.status() != unauthorized) co_return std::move(answer);
    secret_string other = co_await asked_key(source.refresh(answer.key), where);
    if (other.empty()) co_return std::move(answer);
    (void)co_await answer.response.drain();
    http_response repeated = co_await send_once(from, where, write, other);
    answer.response = std::move(repeated);
    answer.key = std::move(other);
    ++answer.refused;
    co_return std::move(answer);
}

}  // namespace

void fail_request(const std::string& where, const error& cause)
{
    model_failure failure;
    failure.code = cause.code();
    failure.phase = model_phase::request;
    failure.detail = cause.detail();
    failure.is_transient = is_transient(cause.code());
    throw model_error{where, std::move(failure)};
}

const secret_string& key_of(const provider& from, const provider_answer& answer) noexcept
{
    return from.options.credentials ? answer.key : from.options.key;
}

task<provider_answer> send_with_key(const provider& from, std::string where, request_writer write)
{
    if (from.options.credentials) return send_with_source(from, std::move(where), std::move(write));
    return send_with_own_key(from, std::move(where), std::move(write));
}

task<model_error> refusal_of(const provider& from, std::string where, provider_answer answer)
{
    std::string body;
    try {
        std::string beginning = co_await answer.response.read_at_most(error_bytes_max);
        body = std::move(beginning);
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;
    }
    const secret_string& key = key_of(from, answer);
    model_failure failure = response_failure(answer.response.head(), body, key, *from.how.errors);
    if (failure.code == errc::model_unauthorized) failure.detail += key_text(from.options, key);
    co_return model_error{where, std::move(failure)};
}

}  // namespace weft::model_detail
