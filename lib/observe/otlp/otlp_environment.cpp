#include <weft/observe/otlp/otlp_options.hpp>

#include <weft/base/error.hpp>
#include <weft/net/text/http_headers.hpp>
#include <weft/net/url.hpp>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>

namespace weft {

namespace {

class otlp_reader {
public:
    explicit otlp_reader(const environment_lookup& environment) : environment_{environment} {}

    /** An empty variable is as good as none. */
    [[nodiscard]] std::optional<std::string> find(const std::string& name) const
    {
        std::optional<std::string> text = environment_(name);
        return text && text->empty() ? std::nullopt : text;
    }
    /** A variable of exporters: that of traces goes before that of all signals. */
    [[nodiscard]] std::optional<std::string> find_exporters(const std::string& name) const
    {
        std::optional<std::string> text = find("OTEL_EXPORTER_OTLP_TRACES_" + name);
        return text ? text : find("OTEL_EXPORTER_OTLP_" + name);
    }
    [[nodiscard]] bool is_true(const std::string& name) const
    {
        const std::optional<std::string> text = find(name);
        return text && equals_ignoring_case(*text, "true");
    }
    template <class Number>
    void read_number(const std::string& name, Number& into) const
    {
        if (const std::optional<std::string> text = find(name)) into = number_in<Number>(name, *text);
    }
    template <class Number>
    [[nodiscard]] static Number number_in(const std::string& name, const std::string& text)
    {
        Number number{};
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (code != std::errc{} || end != text.data() + text.size() || !(number >= Number{}))
            throw refused(name, text, "it must be a number that is not negative");
        return number;
    }
    [[nodiscard]] static error refused(const std::string& name, std::string_view text, std::string_view why)
    {
        return error{errc::invalid_configuration, "environment: " + name,
                     "'" + std::string{text} + "': " + std::string{why}};
    }

private:
    const environment_lookup& environment_;
};

std::string_view without_blanks(std::string_view text) noexcept
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

std::string percent_decoded(std::string_view text)
{
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned code = 0;
        const char* const end = text.data() + std::min(i + 3, text.size());
        const bool is_code = text[i] == '%' && std::from_chars(text.data() + i + 1, end, code, 16).ptr == end &&
                             end - text.data() == static_cast<std::ptrdiff_t>(i + 3);
        decoded += is_code ? static_cast<char>(code) : text[i];
        if (is_code) i += 2;
    }
    return decoded;
}

/** Pairs as in `k=v,k2=v2`; values may be percent-encoded. */
std::vector<std::pair<std::string, std::string>> pairs_in(const std::string& name, std::string_view text)
{
    std::vector<std::pair<std::string, std::string>> pairs;
    while (!text.empty()) {
        const std::size_t end = text.find(',');
        const std::string_view pair = without_blanks(text.substr(0, end));
        text = end == text.npos ? std::string_view{} : text.substr(end + 1);
        if (pair.empty()) continue;
        const std::size_t equals = pair.find('=');
        if (equals == pair.npos || equals == 0)
            throw otlp_reader::refused(name, pair.substr(0, equals), "it must be a list such as key=value,key2=value2");
        pairs.emplace_back(without_blanks(pair.substr(0, equals)),
                           percent_decoded(without_blanks(pair.substr(equals + 1))));
    }
    return pairs;
}

/** The base is completed with the path of traces. */
std::string url_of_traces(std::string_view base)
{
    std::string text{base};
    if (text.find("://") == text.npos) text.insert(0, "http://");
    while (text.ends_with('/')) text.pop_back();
    return text + "/v1/traces";
}

std::optional<std::string> url_in(const otlp_reader& reader, std::string_view said)
{
    if (!said.empty()) {
        const std::size_t host = said.find("://");
        const std::size_t path = said.find('/', host == said.npos ? 0 : host + 3);
        const bool has_path = path != said.npos && path + 1 < said.size();
        return has_path ? std::string{said} : url_of_traces(said);
    }
    if (std::optional<std::string> own = reader.find("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")) return own;
    const std::optional<std::string> base = reader.find("OTEL_EXPORTER_OTLP_ENDPOINT");
    return base ? std::optional{url_of_traces(*base)} : std::nullopt;
}

void read_resource(const otlp_reader& reader, std::string_view name, otlp_resource& into)
{
    auto& attributes = into.attributes;
    const char* const variable = "OTEL_RESOURCE_ATTRIBUTES";
    if (const auto text = reader.find(variable)) attributes = pairs_in(variable, *text);
    const auto set = [&attributes](std::string_view key, std::string text, bool goes_before) {
        for (auto& [known, value] : attributes) {
            if (known != key) continue;
            if (goes_before) value = std::move(text);
            return;
        }
        attributes.emplace_back(key, std::move(text));
    };
    const std::optional<std::string> said = reader.find("OTEL_SERVICE_NAME");
    set("service.name", said.value_or(std::string{name}), said.has_value());
    char host[256] = "";
    static_cast<void>(::gethostname(host, sizeof host - 1));
    set("service.instance.id", std::string{host} + '.' + std::to_string(::getpid()), false);
    set("telemetry.sdk.name", "weft", true);
    set("telemetry.sdk.language", "cpp", true);
}

void read_sampler(const otlp_reader& reader, trace_sampling& into)
{
    const char* const variable = "OTEL_TRACES_SAMPLER";
    const std::string sampler = reader.find(variable).value_or("parentbased_always_on");
    std::string_view rule = sampler;
    constexpr std::string_view by_parent = "parentbased_";
    into.follows_caller = rule.starts_with(by_parent);
    if (into.follows_caller) rule.remove_prefix(by_parent.size());
    if (rule == "always_on") {
        into.ratio = 1;
    } else if (rule == "always_off") {
        into.ratio = 0;
        into.keeps_failed = false;  // off is off
    } else if (rule == "traceidratio") {
        reader.read_number("OTEL_TRACES_SAMPLER_ARG", into.ratio);
        if (into.ratio > 1)
            throw otlp_reader::refused("OTEL_TRACES_SAMPLER_ARG", std::to_string(into.ratio), "it is at most 1");
    } else {
        throw otlp_reader::refused(variable, sampler,
                                   "use always_on, always_off or traceidratio, or one of these after parentbased_");
    }
    std::int64_t slow = 0;
    reader.read_number("WEFT_OTEL_KEEP_SLOW", slow);
    into.keeps_slower_than = std::chrono::milliseconds{slow};
}

void read_dialect(const otlp_reader& reader, span_dialect& into)
{
    const std::optional<std::string> opted = reader.find("OTEL_SEMCONV_STABILITY_OPT_IN");
    if (opted && opted->find("gen_ai_latest_experimental") != opted->npos) into = span_dialect::latest;
    const char* const variable = "WEFT_OTEL_DIALECT";
    const std::optional<std::string> said = reader.find(variable);
    if (!said) return;
    const std::optional<span_dialect> named = span_dialect_named(*said);
    if (!named) throw otlp_reader::refused(variable, *said, "use 1.36, 1.41 or latest");
    into = *named;
}

void read_sending(const otlp_reader& reader, otlp_options& into)
{
    const std::string protocol = reader.find_exporters("PROTOCOL").value_or("http/protobuf");
    if (protocol == "http/json") into.format = otlp_format::json;
    else if (protocol != "http/protobuf")
        throw otlp_reader::refused("OTEL_EXPORTER_OTLP_PROTOCOL", protocol, "use http/protobuf or http/json");
    if (const auto headers = reader.find_exporters("HEADERS"))
        for (auto& [name, text] : pairs_in("OTEL_EXPORTER_OTLP_HEADERS", *headers))
            into.headers.emplace_back(std::move(name), secret_string{text});
    if (const auto timeout = reader.find_exporters("TIMEOUT"))
        into.timeout = std::chrono::milliseconds{
            otlp_reader::number_in<std::int64_t>("OTEL_EXPORTER_OTLP_TIMEOUT", *timeout)};
    if (const auto delay = reader.find("OTEL_BSP_SCHEDULE_DELAY"))
        into.every = std::chrono::milliseconds{otlp_reader::number_in<std::int64_t>("OTEL_BSP_SCHEDULE_DELAY", *delay)};
    reader.read_number("OTEL_BSP_MAX_QUEUE_SIZE", into.queue_max);
    reader.read_number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", into.batch_max);
}

}  // namespace

otlp_environment otlp_from(const environment_lookup& environment, std::string_view url, std::string_view name)
{
    const otlp_reader reader{environment};
    otlp_environment found;
    const std::optional<std::string> target = url_in(reader, url);
    const bool is_off = reader.is_true("OTEL_SDK_DISABLED") || reader.find("OTEL_TRACES_EXPORTER") == "none";
    // The command line goes before what the environment turns off.
    if (!target || (url.empty() && is_off)) return found;
    otlp_options options;
    options.url = *target;
    static_cast<void>(weft::url{options.url});  // refuses now what no request could go to
    read_sending(reader, options);
    read_resource(reader, name, options.resource);
    read_dialect(reader, options.resource.dialect);
    read_sampler(reader, found.traces.sampling);
    found.traces.has_content = reader.is_true("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT");
    found.sending = std::move(options);
    return found;
}

}  // namespace weft
