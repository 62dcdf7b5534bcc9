#include <boost/test/unit_test.hpp>

#include "agent/agents.hpp"
#include "agent/loops.hpp"

#include <weft/agent/llm_node.hpp>
#include <weft/graph/graph_builder.hpp>

#include <boost/describe/enum.hpp>

#include <set>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(answer_schema_test)

namespace {

enum class ticket_kind : std::uint8_t { billing, technical };
BOOST_DESCRIBE_ENUM(ticket_kind, billing, technical)

struct ticket_line {
    std::string text;
    std::int32_t minutes = 0;
    std::optional<std::string> note;
};
BOOST_DESCRIBE_STRUCT(ticket_line, (), (text, minutes, note))

struct ticket_tree {
    std::string name;
    std::vector<ticket_tree> parts;
};
BOOST_DESCRIBE_STRUCT(ticket_tree, (), (name, parts))

constexpr weft::state_key<ticket_kind> kind_key{"kind"};
constexpr weft::state_key<std::vector<ticket_line>> lines_key{"lines"};
constexpr weft::state_key<std::vector<ticket_line>, weft::append> log_key{"log"};
constexpr weft::state_key<ticket_tree> tree_key{"tree"};
constexpr weft::state_key<std::map<std::string, std::int64_t>> counts_key{"counts"};

weft::graph asking(const std::shared_ptr<weft::chat_model>& model, std::vector<std::string> writes,
                   std::vector<std::string> nullable = {})
{
    weft::llm_node_options options;
    options.settings.prompt = "Sort the ticket.";
    options.writes = std::move(writes);
    options.nullable = std::move(nullable);
    weft::graph_builder builder{"tickets"};
    builder.state(kind_key, lines_key, log_key, tree_key, counts_key);
    builder.node("sort", weft::llm_node{model, std::move(options)}).edge(weft::start, "sort");
    return builder.build();
}

/** What a model is asked for, and that it is asked so that its answer can be read. */
weft::output_schema asked_for(std::vector<std::string> writes, std::string reply,
                              std::vector<std::string> nullable = {})
{
    const auto model = says({{std::move(reply)}});
    const seen_run seen = run_graph(asking(model, std::move(writes), std::move(nullable)), {}, {});
    BOOST_TEST(seen.result.message() == "finished");
    BOOST_REQUIRE(model->asked.size() == 1u);
    BOOST_REQUIRE(model->asked[0].output.has_value());
    return *model->asked[0].output;
}

std::string text_of(const weft::output_schema& schema) { return boost::json::serialize(schema.schema); }

}  // namespace

BOOST_AUTO_TEST_CASE(U2_6_a_model_is_told_the_names_of_an_enum)
{
    const auto model = says({{R"({"kind": "technical"})"}});
    const seen_run seen = run_graph(asking(model, {"kind"}), {}, {});
    BOOST_TEST((seen.result.state.get(kind_key) == ticket_kind::technical));
    const weft::output_schema& output = *model->asked.at(0).output;
    BOOST_TEST(output.strict);
    BOOST_TEST(text_of(output) == R"({"type":"object","properties":{"kind":{"type":"string","enum":)"
                                  R"(["billing","technical"]}},"required":["kind"],"additionalProperties":false})");
    BOOST_TEST(model->said(0, weft::role::system).ends_with("- \"kind\": one of \"billing\", \"technical\""));
}

BOOST_AUTO_TEST_CASE(U2_6_lists_of_structs_are_told_whole_and_held_strictly)
{
    const std::string reply = R"({"lines": [{"text": "a", "minutes": 3, "note": null}]})";
    const weft::output_schema output = asked_for({"lines"}, reply);
    BOOST_TEST(output.strict);
    BOOST_TEST(text_of(output) ==
               R"({"type":"object","properties":{"lines":{"type":"array","items":{"type":"object","properties":)"
               R"({"text":{"type":"string"},"minutes":{"type":"integer"},"note":{"type":["string","null"]}},)"
               R"("required":["text","minutes","note"],"additionalProperties":false}}},"required":["lines"],)"
               R"("additionalProperties":false})");
    // A reducer joins updates: the model gives one of these.
    const weft::output_schema update = asked_for({"log"}, R"({"log": {"text": "a", "minutes": 3}})");
    BOOST_TEST(text_of(update).find(R"("log":{"type":"object")") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(U2_6_a_type_that_contains_itself_is_a_definition_of_the_whole)
{
    const weft::output_schema output = asked_for({"tree"}, R"({"tree": {"name": "a", "parts": []}})");
    BOOST_TEST(output.strict);
    BOOST_TEST(text_of(output).find(R"("tree":{"$ref":"#/$defs/tree"})") != std::string::npos);
    BOOST_TEST(text_of(output).find(R"("parts":{"type":"array","items":{"$ref":"#/$defs/tree"}})") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(U2_6_what_cannot_be_held_to_is_told_without_strict)
{
    const weft::output_schema output = asked_for({"counts"}, R"({"counts": {"a": 1}})");
    BOOST_TEST(!output.strict);
    BOOST_TEST(text_of(output).find(R"("counts":{"type":"object","additionalProperties":{"type":"integer")") !=
               std::string::npos);
    const weft::output_schema nullable = asked_for({"kind"}, R"({"kind": null})", {"kind"});
    BOOST_TEST(nullable.strict);
    BOOST_TEST(text_of(nullable).find(R"({"type":["string","null"],"enum":["billing","technical",null]})") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(U2_6_a_rehearsal_makes_up_what_fits)
{
    const seen_run seen = run_graph(asking(nullptr, {"kind", "lines", "log", "tree", "counts"}), {}, {});
    BOOST_TEST(seen.result.message() == "finished");
    BOOST_TEST((seen.result.state.get(kind_key) == ticket_kind::billing));
    BOOST_TEST(seen.result.state.get(log_key).size() == 1u);
}

BOOST_AUTO_TEST_CASE(U2_6_an_event_loop_tells_what_its_outputs_are)
{
    weft::event_loop_options options;
    options.outputs = {weft::output_of(kind_key, "What it is about."), weft::output_of(loop_answer, "The answer.")};
    const auto model = model_of({sets("kind", "billing"), sets("answer", "a")});
    weft::graph_builder builder{"tickets"};
    builder.state(kind_key, loop_answer);
    weft::add_event_loop(builder, "sort", model, std::move(options));
    const seen_loop seen = run_loop(builder.edge(weft::start, "sort").build());
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    const std::vector<weft::chat_request> requests = model->requests();
    std::string keys;
    for (const weft::tool_spec& tool : requests.at(0).tools)
        if (tool.name == "set_output")
            keys = tool.parameters.at("properties").at("key").at("description").as_string().c_str();
    BOOST_TEST(keys == "The output. kind: What it is about.; one of \"billing\", \"technical\". answer: The answer.");
}

BOOST_AUTO_TEST_CASE(U2_6_types_of_keys_that_a_program_adds_are_told_in_files)
{
    const auto model = says({{R"({"kind": "billing"})"}});
    weft::node_registry registry = agent_registry(model);
    registry.add_type<ticket_kind>("ticket_kind");
    const seen_run seen = run_members("'state': [{'name': 'kind', 'type': 'ticket_kind'}], 'nodes': [{'name': 'n', "
                                      "'kind': 'llm', 'writes': ['kind'], 'settings': {'prompt': 'x'}}], 'edges': "
                                      "[{'from': '__start__', 'to': 'n'}]",
                                      registry);
    BOOST_TEST(seen.value("kind") == "\"billing\"");
    BOOST_REQUIRE(model->asked.at(0).output.has_value());
    BOOST_TEST(model->asked[0].output->strict);
    BOOST_TEST(text_of(*model->asked[0].output).find(R"(["billing","technical"])") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
