#include <weft/base/json_schema.hpp>

#include "json_schema_compiler.hpp"
#include "json_schema_evaluator.hpp"

#include <weft/base/error.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

using schema_detail::schema_program;

/** Whether a document is small enough to be copied and compiled; says what is not. */
class size_check {
public:
    size_check(const schema_limits& limits, const json_schema::mistake_sink& sink) : limits_{limits}, sink_{sink} {}

    [[nodiscard]] bool passes(const boost::json::value& document, const json_path& at, std::size_t depth = 0)
    {
        if (depth > limits_.depth_max)
            return sink_(at, "is nested deeper than " + std::to_string(limits_.depth_max)), false;
        if (++values_ > limits_.values_max)
            return sink_(at, "is one value too many: a schema may have " + std::to_string(limits_.values_max)), false;
        if (const boost::json::array* const items = document.if_array()) {
            for (std::size_t i = 0; i < items->size(); ++i)
                if (!passes((*items)[i], json_path{at, i}, depth + 1)) return false;
        } else if (const boost::json::object* const members = document.if_object()) {
            for (const auto& [name, value] : *members)
                if (!passes(value, json_path{at, std::string_view{name.data(), name.size()}}, depth + 1)) return false;
        }
        return true;
    }

private:
    const schema_limits& limits_;
    const json_schema::mistake_sink& sink_;
    std::size_t values_ = 0;
};

std::shared_ptr<const schema_program> compile(const boost::json::value& document, const json_path& at,
                                              const json_schema::mistake_sink& sink, const schema_limits& limits)
{
    if (!size_check{limits, sink}.passes(document, at)) return nullptr;
    const auto program = std::make_shared<schema_program>(schema_program{document, limits});
    return schema_detail::schema_compiler{*program, at, sink}.compile() ? program : nullptr;
}

}  // namespace

json_schema::json_schema(const boost::json::value& document, const schema_limits& limits)
{
    std::vector<schema_mistake> found;
    const auto collect = [&found](const json_path& at, std::string text) {
        found.push_back({at.text(), std::move(text)});
    };
    program_ = compile(document, json_path{}, collect, limits);
    if (found.empty()) return;
    const std::string first = std::move(found.front().path);
    std::string detail = "in a JSON Schema: " + found.front().text;
    found.erase(found.begin());
    if (!found.empty()) detail += "; " + text_of(found);
    throw error{errc::unexpected_json, first, std::move(detail)};
}

json_schema::json_schema(std::shared_ptr<const schema_program> program) noexcept : program_{std::move(program)} {}

std::optional<json_schema> json_schema::read(const boost::json::value& document, const json_path& at,
                                             const mistake_sink& sink, const schema_limits& limits)
{
    auto program = compile(document, at, sink, limits);
    if (!program) return std::nullopt;
    return json_schema{std::move(program)};
}

std::vector<schema_mistake> json_schema::mistakes(const boost::json::value& of, std::size_t max) const
{
    schema_detail::schema_findings found{.max = std::max<std::size_t>(max, 1)};
    const json_path whole;
    try {
        schema_detail::schema_evaluator{*program_}.check(0, of, whole, found);
    } catch (const schema_detail::work_exceeded& e) {
        if (found.mistakes.size() == found.max) found.mistakes.pop_back();
        found.add(whole, [&] { return std::string{"could not be checked to the end: "} + e.what; });
    }
    return std::move(found.mistakes);
}

bool json_schema::accepts(const boost::json::value& what) const
{
    schema_detail::schema_findings found;
    try {
        schema_detail::schema_evaluator{*program_}.check(0, what, json_path{}, found);
    } catch (const schema_detail::work_exceeded&) {
        return false;
    }
    return found.is_valid;
}

const boost::json::value& json_schema::document() const noexcept { return program_->document; }

std::string text_of(const std::vector<schema_mistake>& mistakes)
{
    std::string text;
    for (const schema_mistake& mistake : mistakes)
        text.append(text.empty() ? "" : "; ").append(mistake.path).append(": ").append(mistake.text);
    return text;
}

}  // namespace weft
