#include <weft/agent/prompt/prompt_template.hpp>

#include "agent/text/key_text.hpp"

#include <weft/base/error.hpp>
#include <weft/base/text/text_lines.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/spec/spec_mistake.hpp>
#include <weft/graph/state/state_layout.hpp>

#include <optional>
#include <unordered_set>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t faults_listed_max = 100;

/** What is wrong with a template, by place; more faults than people read are counted. */
class template_faults {
public:
    explicit template_faults(std::string_view text) : text_{text} {}

    [[nodiscard]] text_position position(std::size_t at)
    {
        if (!lines_) lines_.emplace(text_);
        return lines_->at(at);
    }
    void add(std::size_t at, std::string_view what)
    {
        if (++count_ > faults_listed_max) return;
        faults_.append(count_ > 1 ? "; " : "").append(position(at).text()).append(": ").append(what);
    }
    void throw_if_any()
    {
        if (count_ == 0) return;
        if (count_ > faults_listed_max)
            faults_.append("; and ").append(std::to_string(count_ - faults_listed_max)).append(" more");
        throw error{errc::invalid_configuration, "the template", std::move(faults_)};
    }

private:
    std::string_view text_;
    std::optional<text_lines> lines_;  // most templates need none
    std::string faults_;
    std::size_t count_ = 0;
};

/** The name between the '{' at `at` and its '}'; empty if it can be none: JSON and the like. */
std::string_view name_after(std::string_view text, std::size_t at)
{
    const std::size_t end = text.find_first_of("{}\":,\n", at + 1);
    if (end == std::string_view::npos || text[end] != '}') return {};
    return text.substr(at + 1, end - at - 1);
}

/** The '}' of a '{' that begins no name, so that it is not told too; the '{' itself if there is none. */
std::size_t end_of_wrong(std::string_view text, std::size_t at)
{
    const std::size_t end = text.find_first_of("{}", at + 1);
    return end == std::string_view::npos || text[end] == '{' ? at : end;
}

}  // namespace

prompt_template::prompt_template(std::string_view text)
{
    template_faults faults{text};
    std::string before;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        const bool is_doubled = at + 1 < text.size() && text[at + 1] == c;
        if (c != '{' && c != '}') before += c;
        else if (is_doubled) before += text[at++];
        else if (c == '}') faults.add(at, "a '}' without its '{': write '}}' for a brace");
        else {
            const std::string_view name = name_after(text, at);
            if (name.empty()) {
                faults.add(at, "a '{' must begin the name of a key, as in {topic}: write '{{' for a brace");
                at = end_of_wrong(text, at);
                continue;
            }
            texts_.push_back(std::exchange(before, {}));
            places_.push_back({std::string{name}, faults.position(at)});
            at += name.size() + 1;
        }
    }
    faults.throw_if_any();
    if (!text.empty()) texts_.push_back(std::move(before));
}

std::vector<std::string> prompt_template::mistakes(const state_layout& keys) const
{
    std::vector<std::string> found;
    for (const place& named : places_) {
        if (keys.find(named.key) != state_layout::none) continue;
        const bool is_detailed = found.size() < faults_listed_max;
        found.push_back(named.at.text() + ": there is no key '" + named.key + "'" +
                        (is_detailed ? known_names(named.key, keys.names()) : std::string{}));
    }
    return found;
}

prompt_template::filled prompt_template::fill(const node_context& node) const
{
    filled result;
    if (places_.empty()) {
        if (!texts_.empty()) result.text = texts_.back();
        return result;
    }
    std::unordered_set<std::string_view> missing;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const std::string& key = places_[i].key;
        result.text += texts_[i];
        const agent_detail::key_value found = agent_detail::read_key(node, key);
        result.text += found.text;
        if (!found.has_value && missing.insert(key).second) result.missing.push_back(key);
    }
    if (!texts_.empty()) result.text += texts_.back();
    return result;
}

std::string prompt_template::with(const std::function<std::string(const place&)>& value_of) const
{
    std::string text;
    for (std::size_t i = 0; i < places_.size(); ++i) text.append(texts_[i]).append(value_of(places_[i]));
    return texts_.empty() ? text : text + texts_.back();
}

}  // namespace weft
