#include <weft/observe/metric/metric_registry.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace weft {

namespace {

/** @param is_help   There a quotation mark stays as it is in the format of Prometheus. */
void append_metric_escaped(std::string& to, std::string_view text, bool escapes_quotes)
{
    for (const char c : text) {
        if (c == '\\') to += "\\\\";
        else if (c == '\n') to += "\\n";
        else if (c == '"' && escapes_quotes) to += "\\\"";
        else to += c;
    }
}

std::string metric_number(double value)
{
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    char digits[32];
    const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, value);
    return {digits, end.ptr};
}

/** A bound of a bucket: OpenMetrics wants one way to write a number. */
std::string bound_text(double bound)
{
    std::string text = metric_number(bound);
    if (text.find_first_of(".e") == text.npos && std::isfinite(bound)) text += ".0";
    return text;
}

class metric_writer {
public:
    explicit metric_writer(metric_format format) noexcept : is_open_{format == metric_format::openmetrics} {}

    void write(const metric_family& family)
    {
        const metric_description& what = family.description();
        std::vector<const metric_series*> series = family.series();
        if (series.empty()) return;  // a name without values would be noise
        std::sort(series.begin(), series.end(),
                  [](const auto* left, const auto* right) { return left->values() < right->values(); });
        const bool is_counter = what.kind == metric_kind::counter;
        const std::string name = what.name + (is_counter && !is_open_ ? "_total" : "");
        head("HELP", name);
        append_metric_escaped(text_, what.help, is_open_);
        text_ += '\n';
        head("TYPE", name);
        text_ += is_counter ? "counter" : what.kind == metric_kind::gauge ? "gauge" : "histogram";
        text_ += '\n';
        if (is_open_ && what.name.ends_with("_seconds")) unit(what.name, "seconds");
        if (is_open_ && what.name.ends_with("_bytes")) unit(what.name, "bytes");
        for (const metric_series* const one : series) write(what, *one);
    }

    [[nodiscard]] std::string take()
    {
        if (is_open_) text_ += "# EOF\n";
        return std::move(text_);
    }

private:
    void head(std::string_view what, std::string_view name)
    {
        text_.append("# ").append(what).append(" ").append(name).append(" ");
    }
    void unit(std::string_view name, std::string_view what)
    {
        head("UNIT", name);
        text_.append(what).append("\n");
    }

    void write(const metric_description& what, const metric_series& series)
    {
        if (what.kind != metric_kind::histogram) {
            sample(what, series, what.kind == metric_kind::counter ? "_total" : "", {}, metric_number(series.value()));
            return;
        }
        // Buckets are told as sums of all below. What is observed meanwhile may be in one and not in the sum.
        std::uint64_t count = 0;
        for (std::size_t i = 0; i <= what.bounds.size(); ++i) {
            count += series.in_bucket(i);
            sample(what, series, "_bucket", i < what.bounds.size() ? bound_text(what.bounds[i]) : "+Inf",
                   std::to_string(count));
        }
        sample(what, series, "_sum", {}, metric_number(series.value()));
        sample(what, series, "_count", {}, std::to_string(count));
    }

    void sample(const metric_description& what, const metric_series& series, std::string_view ending,
                std::string_view bound, std::string_view value)
    {
        text_.append(what.name).append(ending);
        char before = '{';
        for (std::size_t i = 0; i < what.labels.size(); ++i) {
            text_.append(1, before).append(what.labels[i]).append("=\"");
            append_metric_escaped(text_, series.values()[i], true);
            text_ += '"';
            before = ',';
        }
        if (!bound.empty()) text_.append(1, before).append("le=\"").append(bound).append("\"");
        if (!bound.empty() || !what.labels.empty()) text_ += '}';
        text_.append(" ").append(value).append("\n");
    }

    const bool is_open_;
    std::string text_;
};

}  // namespace

metric_format metric_format_for(std::string_view accept) noexcept
{
    return accept.find("application/openmetrics-text") != accept.npos ? metric_format::openmetrics
                                                                      : metric_format::prometheus;
}

std::string_view content_type_of(metric_format format) noexcept
{
    return format == metric_format::openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                                : "text/plain; version=0.0.4; charset=utf-8";
}

std::string metric_text(const metric_registry& registry, metric_format format)
{
    metric_writer writer{format};
    for (const metric_family* const each : registry.families()) writer.write(*each);
    return writer.take();
}

}  // namespace weft
