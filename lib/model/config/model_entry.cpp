#include "model_entry.hpp"

#include <weft/base/error.hpp>
#include <weft/base/text/ascii_text.hpp>
#include <weft/graph/spec/environment_references.hpp>
#include <weft/graph/spec/spec_reading.hpp>

#include "model/wire/base_url.hpp"
#include "model_entry_fields.hpp"

#include <algorithm>
#include <utility>

namespace weft::model_detail {

namespace json = boost::json;

using spec_detail::is_reference;
using spec_detail::resolved;

namespace {

struct known_profile {
    std::string_view name;
    openai_profile (*make)();
};

constexpr known_profile profiles[] = {
    {"openai", openai_profiles::openai},         {"compatible", openai_profiles::compatible},
    {"azure", openai_profiles::azure},           {"vllm", openai_profiles::vllm},
    {"llama_cpp", openai_profiles::llama_cpp},   {"ollama", openai_profiles::ollama},
    {"openrouter", openai_profiles::openrouter}, {"deepseek", openai_profiles::deepseek},
    {"groq", openai_profiles::groq},             {"mistral", openai_profiles::mistral},
    {"gemini", openai_profiles::gemini},
};

/** Reads the parts of an entry that say something in every API. */
struct part_reader {
    const json_path& at;
    const entry_reading& with;

    [[nodiscard]] std::string text(std::string_view member, std::string_view written) const
    {
        return resolved(written, with.environment, json_path{at, member}, with.mistakes);
    }
    [[nodiscard]] secret_string key(const json::value& written) const;
    [[nodiscard]] std::string key_origin(const json::value& written) const;
    [[nodiscard]] std::map<std::string, std::string>
    texts(std::string_view member, const std::map<std::string, std::string>& written) const;
    void put_timeouts(std::optional<http_timeouts>& out, const std::optional<timeouts_entry>& written) const;
    [[nodiscard]] openai_profile profile(const openai_entry& entry, const std::string& base_url) const;

    /** What the options of all models have. */
    template <class Options>
    void put_common(Options& out, const model_entry& entry, std::string_view added) const;
    /** What the settings of all models have. */
    template <class Settings>
    void put_settings(Settings& out, const model_entry& entry) const;
    /** What a model of embeddings has. */
    void put_embedding(embedding_options& out, const embedding_entry& entry) const;

private:
    [[nodiscard]] std::vector<std::pair<std::string, std::string>>
    headers(const std::map<std::string, std::string>& written) const;
    void put_timeout(std::chrono::nanoseconds& out, std::string_view member,
                     const std::optional<spec_duration>& written) const;
    [[nodiscard]] std::optional<std::chrono::nanoseconds> wait(std::string_view member,
                                                               const std::optional<spec_duration>& written) const;
    [[nodiscard]] std::string base_url(const std::string& written, std::string_view added) const;
};

/** Nothing that is said about a key may repeat it. */
secret_string part_reader::key(const json::value& written) const
{
    const json_path place{at, "api_key"};
    if (written.is_null()) return {};
    if (!written.is_string()) return with.mistakes.add(place, "a key must be a string"), secret_string{};
    const std::string_view text{written.get_string().data(), written.get_string().size()};
    if (text.empty()) return {};
    if (!is_reference(text)) {
        if (with.takes_literal_keys) return secret_string{text};
        with.mistakes.add(place, "a key must not stand in a file: put it into an environment variable and write "
                                 "its name, as in \"${OPENAI_API_KEY}\"");
        return {};
    }
    const std::string value = resolved(text, with.environment, place, with.mistakes);
    const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
    if (std::any_of(value.begin(), value.end(), is_control))
        with.mistakes.add(place, "the key that " + std::string{text} +
                                     " stands for has a line break or another control character in it");
    return secret_string{value};
}

/** The name of the variable that a key stands in; never the key. */
std::string part_reader::key_origin(const json::value& written) const
{
    const std::string_view text{written.get_string().data(), written.get_string().size()};
    if (!is_reference(text)) return "the member 'api_key'";
    return std::string{text.substr(2, text.size() - 3)};
}

std::vector<std::pair<std::string, std::string>>
part_reader::headers(const std::map<std::string, std::string>& written) const
{
    const json_path place{at, "headers"};
    std::vector<std::pair<std::string, std::string>> result;
    for (const auto& [name, value] : written) {
        const json_path here{place, name};
        if (spec_detail::is_secret_header(name))
            with.mistakes.add(here, "this header carries a secret: give it as 'api_key', which weft keeps to itself");
        result.emplace_back(name, resolved(value, with.environment, here, with.mistakes));
    }
    return result;
}

std::map<std::string, std::string> part_reader::texts(std::string_view member,
                                                      const std::map<std::string, std::string>& written) const
{
    const json_path place{at, member};
    std::map<std::string, std::string> result;
    for (const auto& [name, value] : written)
        result.emplace(name, resolved(value, with.environment, json_path{place, name}, with.mistakes));
    return result;
}

void part_reader::put_timeout(std::chrono::nanoseconds& out, std::string_view member,
                              const std::optional<spec_duration>& written) const
{
    out = wait(member, written).value_or(out);
}

std::optional<std::chrono::nanoseconds> part_reader::wait(std::string_view member,
                                                          const std::optional<spec_duration>& written) const
{
    if (!written) return std::nullopt;
    const json_path place{at, "timeouts"};
    if (written->span() <= std::chrono::nanoseconds{0})
        with.mistakes.add(json_path{place, member}, "must be longer than nothing");
    return written->span();
}

/** What is not said stays as it is by default. */
void part_reader::put_timeouts(std::optional<http_timeouts>& out, const std::optional<timeouts_entry>& written) const
{
    if (!written) return;
    http_timeouts limits = out.value_or(http_timeouts{});
    put_timeout(limits.connect, "connect", written->connect);
    put_timeout(limits.send, "send", written->send);
    put_timeout(limits.first_byte, "first_byte", written->first_byte);
    put_timeout(limits.gap, "gap", written->gap);
    out = limits;
}

std::string part_reader::base_url(const std::string& written, std::string_view added) const
{
    std::string address = text("base_url", written);
    try {
        refuse_whole_address(url{address}, added);
    } catch (const error& e) {
        with.mistakes.add(json_path{at, "base_url"}, "this is no base URL: " + e.detail());
    }
    return address;
}

openai_profile part_reader::profile(const openai_entry& entry, const std::string& base_url) const
{
    if (!entry.profile) {
        try {
            return openai_profiles::for_host(url{base_url}.host());
        } catch (const error&) {
            return {};  // the address is a mistake already
        }
    }
    std::vector<std::string_view> names;
    for (const known_profile& known : profiles) {
        if (known.name == *entry.profile) return known.make();
        names.push_back(known.name);
    }
    with.mistakes.add(json_path{at, "profile"},
                      "there is no profile '" + *entry.profile + "'" + known_names(*entry.profile, names));
    return {};
}

template <class Options>
void part_reader::put_common(Options& out, const model_entry& entry, std::string_view added) const
{
    out.model = text("model", entry.model);
    if (entry.base_url) out.base_url = base_url(*entry.base_url, added);
    out.key = key(entry.api_key);
    if (!out.key.empty()) out.key_origin = key_origin(entry.api_key);
    put_timeouts(out.timeouts, entry.timeouts);
    if (entry.timeouts) {
        out.first_token_max = wait("first_token", entry.timeouts->first_token);
        out.token_gap_max = wait("token_gap", entry.timeouts->token_gap);
    }
    const limits_entry limits = entry.limits.value_or(limits_entry{});
    out.limits.text_bytes_max = limits.text_bytes_max.value_or(out.limits.text_bytes_max);
    out.limits.tool_calls_max = limits.tool_calls_max.value_or(out.limits.tool_calls_max);
    out.limits.argument_bytes_max = limits.argument_bytes_max.value_or(out.limits.argument_bytes_max);
}

template <class Settings>
void part_reader::put_settings(Settings& out, const model_entry& entry) const
{
    out.headers = headers(entry.headers);
    out.extra_body = entry.extra_body;
}

void part_reader::put_embedding(embedding_options& out, const embedding_entry& entry) const
{
    const char* const added = entry.provider == model_provider::ollama   ? "/api/embed"
                              : entry.provider == model_provider::gemini ? "/models"
                                                                         : "/embeddings";
    out.model = text("model", entry.model);
    if (entry.base_url) out.base_url = base_url(*entry.base_url, added);
    out.key = key(entry.api_key);
    if (!out.key.empty()) out.key_origin = key_origin(entry.api_key);
    put_timeouts(out.timeouts, entry.timeouts);
    out.headers = headers(entry.headers);
    out.dimensions = entry.dimensions;
    out.batch_inputs_max = entry.batch_inputs_max;
}

any_model_options options_of(const openai_entry& entry, const part_reader& read)
{
    openai_model_options out;
    read.put_common(out, entry, "/chat/completions");
    out.profile = read.profile(entry, out.base_url);
    read.put_settings(out.profile, entry);
    if (entry.takes_sampling) out.profile.takes_sampling = *entry.takes_sampling;
    out.organization = read.text("organization", entry.organization);
    out.project = read.text("project", entry.project);
    return out;
}

any_model_options options_of(const responses_entry& entry, const part_reader& read)
{
    responses_model_options out;
    read.put_common(out, entry, "/responses");
    read.put_settings(out.settings, entry);
    out.settings.store = entry.store;
    if (entry.include) out.settings.include = *entry.include;
    out.settings.reasoning_summary = entry.reasoning_summary;
    out.settings.takes_sampling = entry.takes_sampling;
    out.settings.metadata = read.texts("metadata", entry.metadata);
    out.organization = read.text("organization", entry.organization);
    out.project = read.text("project", entry.project);
    return out;
}

anthropic_thinking thinking_of(const anthropic_entry& entry)
{
    anthropic_thinking out;
    if (entry.thinking == thinking_entry::off) out.how = anthropic_thinking::mode::off;
    if (entry.thinking == thinking_entry::adaptive) out.how = anthropic_thinking::mode::adaptive;
    if (entry.thinking == thinking_entry::budget) out.how = anthropic_thinking::mode::budget;
    out.budget = tokens{entry.thinking_budget};
    out.display = entry.thinking_display;
    return out;
}

template <class Settings>
void set_bearer(Settings& out)
{
    out.auth_header = "Authorization";
    out.auth_prefix = "Bearer ";
}

any_model_options options_of(const anthropic_entry& entry, const part_reader& read)
{
    anthropic_model_options out;
    read.put_common(out, entry, "/messages");
    read.put_settings(out.settings, entry);
    if (entry.version) out.settings.version = *entry.version;
    out.settings.betas = entry.betas;
    if (entry.output_max) out.settings.output_max = tokens{*entry.output_max};
    out.settings.thinking = thinking_of(entry);
    out.settings.cache = {entry.cache.tools, entry.cache.system, entry.cache.messages, entry.cache.ttl};
    out.settings.user_label = entry.user_label;
    out.settings.takes_sampling = entry.takes_sampling;
    out.settings.server_tools = entry.server_tools;
    if (entry.bearer) set_bearer(out.settings);
    return out;
}

any_model_options options_of(const gemini_entry& entry, const part_reader& read)
{
    gemini_model_options out;
    read.put_common(out, entry, "/models");
    read.put_settings(out.settings, entry);
    if (entry.schemas == schemas_entry::openapi) out.settings.schemas = gemini_schemas::openapi;
    out.settings.includes_thoughts = entry.includes_thoughts;
    out.settings.thinking_budget = entry.thinking_budget;
    out.settings.safety.assign(entry.safety.begin(), entry.safety.end());
    out.settings.cached_content = read.text("cached_content", entry.cached_content);
    out.settings.foreign_signature = entry.foreign_signature;
    out.settings.server_tools = entry.server_tools;
    if (entry.bearer) set_bearer(out.settings);
    return out;
}

any_model_options options_of(const ollama_entry& entry, const part_reader& read)
{
    ollama_model_options out;
    read.put_common(out, entry, "/api/chat");
    read.put_settings(out.settings, entry);
    if (entry.context_max) out.settings.context_max = tokens{*entry.context_max};
    out.settings.keep_alive = entry.keep_alive;
    out.settings.options = entry.options;
    return out;
}

template <class Entry>
any_model_options read_as(const json::object& from, const json_path& at, const entry_reading& with)
{
    Entry entry;
    spec_detail::read_structure(entry, from, at, with.mistakes);
    const json::value* const model = from.if_contains("model");
    if (model && model->is_string() && model->get_string().empty())
        with.mistakes.add(json_path{at, "model"}, "name the model, as its provider does");
    return options_of(entry, part_reader{at, with});
}

}  // namespace

std::optional<any_model_options> read_model_entry(const json::value& from, const json_path& at,
                                                  const entry_reading& with)
{
    const std::size_t before = with.mistakes.count();
    const json::object* const entry = spec_detail::read_object(from, at, with.mistakes);
    const json::value* const named = entry ? entry->if_contains("provider") : nullptr;
    if (entry && !named) spec_detail::add_missing(at, "provider", with.mistakes);
    model_provider provider{};
    if (named) spec_detail::read_enumeration(provider, *named, json_path{at, "provider"}, with.mistakes);
    if (with.mistakes.count() > before) return std::nullopt;

    any_model_options options;
    switch (provider) {
    case model_provider::openai: options = read_as<openai_entry>(*entry, at, with); break;
    case model_provider::openai_responses: options = read_as<responses_entry>(*entry, at, with); break;
    case model_provider::anthropic: options = read_as<anthropic_entry>(*entry, at, with); break;
    case model_provider::gemini: options = read_as<gemini_entry>(*entry, at, with); break;
    case model_provider::ollama: options = read_as<ollama_entry>(*entry, at, with); break;
    }
    if (with.mistakes.count() > before) return std::nullopt;
    return options;
}

std::optional<any_embedding_options> read_embedding_entry(const json::value& from, const json_path& at,
                                                          const entry_reading& with)
{
    const std::size_t before = with.mistakes.count();
    const json::object* const written = spec_detail::read_object(from, at, with.mistakes);
    if (!written) return std::nullopt;
    embedding_entry entry;
    spec_detail::read_structure(entry, *written, at, with.mistakes);
    any_embedding_options read;
    read.provider = entry.provider;
    part_reader{at, with}.put_embedding(read.options, entry);
    if (with.mistakes.count() > before) return std::nullopt;
    return read;
}

}  // namespace weft::model_detail
