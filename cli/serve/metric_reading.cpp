#include "metric_reading.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace weft_cli {

namespace {

/** Takes a label from the front of a text: `name="value"`, and a comma behind it. */
std::optional<std::pair<std::string, std::string>> take_label(std::string_view& rest)
{
    const std::size_t equals = rest.find("=\"");
    if (equals == rest.npos) return std::nullopt;
    std::pair<std::string, std::string> label;
    label.first = rest.substr(0, equals);
    std::size_t at = equals + 2;
    for (; at < rest.size() && rest[at] != '"'; ++at) {
        if (rest[at] != '\\' || at + 1 == rest.size()) {
            label.second += rest[at];
            continue;
        }
        ++at;
        label.second += rest[at] == 'n' ? '\n' : rest[at];
    }
    if (at >= rest.size()) return std::nullopt;
    rest.remove_prefix(at + 1);
    if (!rest.empty() && rest.front() == ',') rest.remove_prefix(1);
    return label;
}

/** The end of the labels that begin at the front: a brace outside of quotation marks. */
std::size_t end_of_labels(std::string_view text) noexcept
{
    bool is_quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\\') ++at;
        else if (text[at] == '"') is_quoted = !is_quoted;
        else if (text[at] == '}' && !is_quoted) return at;
    }
    return text.npos;
}

std::optional<metric_reading::sample> sample_in(std::string_view line)
{
    metric_reading::sample read;
    const std::size_t end = line.find_first_of("{ ");
    if (end == line.npos || line.front() == '#') return std::nullopt;
    read.name = line.substr(0, end);
    std::string_view rest = line.substr(end);
    if (rest.front() == '{') {
        const std::size_t close = end_of_labels(rest);
        if (close == rest.npos) return std::nullopt;
        std::string_view labels = rest.substr(1, close - 1);
        while (!labels.empty()) {
            std::optional<std::pair<std::string, std::string>> label = take_label(labels);
            if (!label) return std::nullopt;
            read.labels.insert(std::move(*label));
        }
        rest.remove_prefix(close + 1);
    }
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    const auto [stop, code] = std::from_chars(rest.data(), rest.data() + rest.size(), read.value);
    static_cast<void>(stop);
    return code == std::errc{} ? std::optional{std::move(read)} : std::nullopt;
}

bool has_labels(const metric_reading::sample& one, const metric_reading::label_map& with)
{
    return std::all_of(with.begin(), with.end(), [&one](const auto& label) {
        const auto found = one.labels.find(label.first);
        return found != one.labels.end() && found->second == label.second;
    });
}

/** What all processes on a store say of the store, and not of themselves. */
bool is_of_store(std::string_view name) noexcept
{
    return name.starts_with("weft_queue_") || name == "weft_workers";
}

}  // namespace

metric_reading metric_reading::of(std::string_view text)
{
    metric_reading reading;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text = end == text.npos ? std::string_view{} : text.substr(end + 1);
        if (line.empty()) continue;
        if (std::optional<sample> read = sample_in(line)) reading.samples_.push_back(std::move(*read));
    }
    return reading;
}

void metric_reading::join(const metric_reading& other)
{
    for (const sample& theirs : other.samples_) {
        const auto own = std::find_if(samples_.begin(), samples_.end(), [&theirs](const sample& each) {
            return each.name == theirs.name && each.labels == theirs.labels;
        });
        if (own == samples_.end()) samples_.push_back(theirs);
        else if (is_of_store(theirs.name)) own->value = std::max(own->value, theirs.value);
        else own->value += theirs.value;
    }
}

double metric_reading::sum(std::string_view name, const label_map& with) const
{
    double total = 0;
    for (const sample& each : samples_)
        if (each.name == name && has_labels(each, with)) total += each.value;
    return total;
}

double metric_reading::max(std::string_view name, const label_map& with) const
{
    double most = 0;
    for (const sample& each : samples_)
        if (each.name == name && has_labels(each, with)) most = std::max(most, each.value);
    return most;
}

std::vector<const metric_reading::sample*> metric_reading::all(std::string_view name) const
{
    std::vector<const sample*> found;
    for (const sample& each : samples_)
        if (each.name == name) found.push_back(&each);
    return found;
}

}  // namespace weft_cli
