#pragma once

#include <weft/graph/graph_spec_reader.hpp>

#include <boost/json/array.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace weft_tests {

inline std::filesystem::path graph_samples() { return std::filesystem::path{WEFT_SOURCE_DIR} / "samples/graphs"; }

// The keys of the sample files as C++ knows them.
inline constexpr weft::state_key<std::string> request_key{"request"};
inline constexpr weft::state_key<std::string> category_key{"category"};
inline constexpr weft::state_key<std::int64_t> urgency_key{"urgency"};
inline constexpr weft::state_key<std::string> answer_key{"answer"};
inline constexpr weft::state_key<std::string> draft_key{"draft"};
inline constexpr weft::state_key<double> score_key{"score"};
inline constexpr weft::state_key<boost::json::array, weft::append> remarks_key{"remarks"};
inline constexpr weft::state_key<boost::json::array, weft::append> sources_key{"sources"};
inline constexpr weft::state_key<std::string> summary_key{"summary"};
inline constexpr weft::state_key<std::string> data_summary_key{"data_summary"};
inline constexpr weft::state_key<std::string> report_key{"report"};

/** The functions that the sample files name. */
inline weft::node_registry sample_registry()
{
    weft::node_registry registry;
    registry.add_function("classify", [](weft::node_context& context) {
        const std::string& text = context.get(request_key);
        context.set(category_key, text.find("invoice") != text.npos ? "billing" : "other");
        context.set(urgency_key, text.find("fire") != text.npos ? 9 : 1);
    });
    registry.add_function("answer", [](weft::node_context& context) {
        context.set(answer_key, std::string{context.node()} + " answers");
    });
    registry.add_function("write", [](weft::node_context& context) {
        if (context.layout().find("draft") != weft::state_layout::none) context.set(draft_key, "a draft");
        else context.set(report_key, "a report");
    });
    registry.add_function("judge", [](weft::node_context& context) {
        context.set(score_key, 0.3 * context.visit());
        context.set(remarks_key, "shorter");
    });
    registry.add_function("search", [](weft::node_context& context) { context.set(sources_key, "a source"); });
    registry.add_function("condense", [](weft::node_context& context) {
        context.set(summary_key, std::to_string(context.get(sources_key).size()) + " source");
    });
    registry.add_function("query", [](weft::node_context& context) { context.set(data_summary_key, "42"); });
    return registry;
}

/** The mistakes of a text, each as `line:column path: text`; none if a graph could be made of it. */
inline std::vector<std::string> mistakes_in(std::string_view text, const weft::node_registry& registry = {},
                                            const weft::spec_reader_options& options = {})
{
    std::vector<std::string> result;
    try {
        (void)weft::load_graph(text, registry, options);
    } catch (const weft::graph_spec_error& e) {
        for (const weft::spec_mistake& mistake : e.mistakes())
            result.push_back(mistake.file + (mistake.file.empty() ? "" : " ") + std::to_string(mistake.line) + ":" +
                             std::to_string(mistake.column) + " " + mistake.path + ": " + mistake.text);
    }
    return result;
}

/** A graph file of these members beside its name, with single quotes instead of double ones. */
inline std::string spec_text(std::string_view members)
{
    std::string text = "{\"name\": \"test\", " + std::string{members} + "}";
    for (char& c : text)
        if (c == '\'') c = '"';
    return text;
}

/** Whether exactly one mistake is in the text, and it says all these parts. */
inline std::string lacks(const std::vector<std::string>& mistakes, std::vector<std::string_view> parts)
{
    std::string all;
    for (const std::string& mistake : mistakes) all += mistake + "\n";
    if (mistakes.size() != 1) return "not one mistake but " + std::to_string(mistakes.size()) + ": " + all;
    for (const std::string_view part : parts)
        if (all.find(part) == all.npos) return "'" + std::string{part} + "' is missing in: " + all;
    return {};
}

}  // namespace weft_tests
