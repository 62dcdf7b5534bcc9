#include <boost/test/unit_test.hpp>

#include "agent/agents.hpp"

#include <weft/graph/analysis.hpp>
#include <weft/graph/graph_spec_writer.hpp>

#include <algorithm>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(agent_kinds_test)

namespace {

/** A type of a program, which takes no plain value. */
struct colour {
    int red = 0;
    bool operator==(const colour&) const = default;
};
// Not described: nothing says what its JSON looks like.
void tag_invoke(const boost::json::value_from_tag&, boost::json::value& into, const colour& from) { into = from.red; }
colour tag_invoke(const boost::json::value_to_tag<colour>&, const boost::json::value& from)
{
    if (!from.is_int64() || from.as_int64() < 1) throw weft::error{weft::errc::unexpected_json, "$", "no colour"};
    return {static_cast<int>(from.as_int64())};
}

std::vector<std::string> mistakes_of(std::string_view node, const weft::node_registry& registry)
{
    return mistakes_in(spec_text(one_node(node)), registry);
}
std::vector<std::string> mistakes_of(std::string_view node) { return mistakes_of(node, agent_registry(nullptr)); }

std::string llm(std::string_view settings, std::string_view more = "'writes': ['draft']")
{
    return "'kind': 'llm', 'settings': {" + std::string{settings} + "}, " + std::string{more};
}
std::string human(std::string_view settings, std::string_view key = "draft")
{
    return "'kind': 'human', 'settings': {" + std::string{settings} + "}, 'writes': ['" + std::string{key} + "']";
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_node_that_asks_a_model_names_what_it_writes)
{
    BOOST_TEST(lacks(mistakes_of("'kind': 'llm'"), {"$.nodes[0]: ", "no writes", "add \"writes\""}) == "");
    BOOST_TEST(lacks(mistakes_of("'kind': 'llm', 'writes': []"), {"no writes"}) == "");
    BOOST_TEST(lacks(mistakes_of("'kind': 'llm', 'writes': ['darft']"),
                     {"$.nodes[0].writes[0]: there is no key 'darft' (did you mean 'draft'?)"}) == "");
    BOOST_TEST(mistakes_of("'kind': 'llm', 'writes': ['draft', 'draft']").empty());
}

BOOST_AUTO_TEST_CASE(templates_name_keys_that_the_node_may_read)
{
    BOOST_TEST(lacks(mistakes_of(llm("'prompt': 'On\\n {topc}'")),
                     {"$.nodes[0].settings.prompt: line 2, column 2: there is no key 'topc' (did you mean 'topic'?); "
                      "known: topic, draft"}) == "");
    BOOST_TEST(lacks(mistakes_of(llm("'system': '{count}'", "'writes': ['draft'], 'reads': ['topic']")),
                     {"$.nodes[0].settings.system: line 1, column 1: the node's reads do not name 'count': add it "
                      "there"}) == "");
    BOOST_TEST(mistakes_of(llm("'prompt': '{draft}{topic}'", "'writes': ['draft'], 'reads': ['topic']")).empty());
    BOOST_TEST(lacks(mistakes_of(llm("'prompt': '{\\\"a\\\": 1}'")), {"write '{{' for a brace"}) == "");
    BOOST_TEST(lacks(mistakes_of(human("'question': 'Like {topc}?'")),
                     {"$.nodes[0].settings.question: line 1, column 6: there is no key 'topc'"}) == "");
}

BOOST_AUTO_TEST_CASE(keys_that_are_declared_with_a_mistake_are_told_once)
{
    BOOST_TEST(lacks(mistakes_in(spec_text("'state': [{'name': 'topic', 'type': 'sting'}, {'name': 'd', 'type': "
                                           "'string'}], 'nodes': [{'name': 'n', 'kind': 'llm', 'writes': ['d', "
                                                      "'topic'], "
                                           "'settings': {'prompt': '{topic}'}}], 'edges': [{'from': '__start__', 'to': "
                                           "'n'}]"),
                                 agent_registry(nullptr)),
                     {"there is no type 'sting'"}) == "");
}

BOOST_AUTO_TEST_CASE(settings_are_checked)
{
    BOOST_TEST(lacks(mistakes_of(llm("'promt': 'x'")), {"$.nodes[0].settings", "promt", "'prompt'"}) == "");
    BOOST_TEST(lacks(mistakes_of(llm("'temperature': 'hot'")), {"settings.temperature", "expected a number"}) == "");
    BOOST_TEST(lacks(mistakes_of(llm("'temperature': -1")), {"settings.temperature: is negative"}) == "");
    BOOST_TEST(lacks(mistakes_of(llm("'temperature': 100.5")), {"settings.temperature: is too high: it is at most 100"})
               == "");
    BOOST_TEST(mistakes_of(llm("'temperature': 100")).empty());
    BOOST_TEST(lacks(mistakes_of(llm("'output_max': 0")), {"settings.output_max: is too small"}) == "");
    BOOST_TEST(lacks(mistakes_of(llm("'scripted': 'x'")), {"settings.scripted"}) == "");
    BOOST_TEST(lacks(mistakes_of("'kind': 'human', 'writes': ['draft']"), {"'question'"}) == "");
    BOOST_TEST(lacks(mistakes_of(human("'question': ''")), {"settings.question: is empty"}) == "");
    BOOST_TEST(lacks(mistakes_of(human("'question': 'Q', 'form': 'aproval'")), {"settings.form", "'approval'?"}) == "");
    BOOST_TEST(lacks(mistakes_of(human("'question': 'Q', 'form': 'choice'")), {"a choice needs options"}) == "");
}

BOOST_AUTO_TEST_CASE(answers_of_a_person_go_to_one_key_that_takes_them)
{
    const auto without = [](std::string_view writes) {
        return mistakes_of("'kind': 'human', 'settings': {'question': 'Q'}" + std::string{writes});
    };
    BOOST_TEST(lacks(without(""), {"$.nodes[0]: ", "goes to one key"}) == "");
    BOOST_TEST(lacks(without(", 'writes': ['draft', 'count']"), {"goes to one key"}) == "");
    BOOST_TEST(lacks(without(", 'writes': ['darft']"), {"there is no key 'darft'"}) == "");
    BOOST_TEST(lacks(mistakes_of(human("'question': 'Q', 'form': 'approval'")),
                     {"settings.form: an approval is true or false, and not a text, which the key 'draft' "
                                "takes"}) == "");
    BOOST_TEST(mistakes_of(human("'question': 'Q', 'form': 'approval'", "good")).empty());
    BOOST_TEST(mistakes_of(human("'question': 'Q', 'form': 'approval'", "what")).empty());
    BOOST_TEST(lacks(mistakes_of(human("'question': 'Q', 'options': ['1', 'two']", "count")),
                     {"settings.options: 'two' is not a whole number, which the key 'count' takes"}) == "");
}

BOOST_AUTO_TEST_CASE(a_rehearsal_needs_values_that_can_be_made_up)
{
    const auto load = [](std::shared_ptr<weft::chat_model> model, std::string_view settings) {
        weft::node_registry registry = agent_registry(std::move(model));
        registry.add_type<colour>("colour");
        return mistakes_in(spec_text("'state': [{'name': 'c', 'type': 'colour'}], 'nodes': [{'name': 'n', 'kind': "
                   "'llm', "
                                     "'writes': ['c'], 'settings': {" + std::string{settings} + "}}], 'edges': "
                                                "[{'from': "
                                     "'__start__', 'to': 'n'}]"),
                           registry);
    };
    BOOST_TEST(lacks(load(nullptr, ""), {"settings", "no value of the key 'c' can be made up: write replies"}) == "");
    BOOST_TEST(load(nullptr, "'scripted': ['x']").empty());
    BOOST_TEST(load(says({{"x"}}), "").empty());
}

BOOST_AUTO_TEST_CASE(who_tries_again_is_told_by_the_kind)
{
    scripted_person person{{"x"}};
    BOOST_TEST(!weft::llm_kind(nullptr).retries_itself);
    BOOST_TEST(weft::human_kind(person).retries_itself);
    const auto loaded = weft::load_graph(
        spec_text(one_node(human("'question': 'Q'") + ", 'retry': {'attempts_max': 3}")), agent_registry(nullptr));
    BOOST_REQUIRE(loaded.warnings.size() == 1u);
    BOOST_TEST(loaded.warnings[0].find("try again by themselves") != std::string::npos);
    const std::string wrong = human("'question': 'Q'") + ", 'retry': {'factor': 0.5}";
    BOOST_TEST(lacks(mistakes_of(wrong), {"$.nodes[0].retry.factor"}) == "");
}

BOOST_AUTO_TEST_CASE(nodes_that_ask_a_person_face_the_client)
{
    const auto loaded = weft::load_graph(
        spec_text("'state': [{'name': 'a', 'type': 'string'}, {'name': 'b', 'type': 'string'}], 'nodes': [{'name': "
                   "'s', "
                  "'kind': 'join'}, {'name': 'p', 'kind': 'human', 'settings': {'question': 'P'}, 'writes': ['a']}, "
                  "{'name': 'q', 'kind': 'human', 'settings': {'question': 'Q'}, 'writes': ['b']}], 'edges': [{'from': "
                  "'__start__', 'to': 's'}, {'from': 's', 'to': 'p'}, {'from': 's', 'to': 'q'}]"),
        agent_registry(nullptr));
    bool is_told = false;
    for (const weft::finding& found : weft::analyse(loaded.what))
        is_told |= found.rule.find("client") != std::string::npos;
    BOOST_TEST(is_told);
}

namespace {

seen_run run_letter(std::vector<boost::json::value> answers, std::shared_ptr<weft::chat_model> model = nullptr)
{
    scripted_person person{std::move(answers)};
    const weft::loaded_graph loaded =
        weft::load_graph_file(graph_samples() / "letter.json", agent_registry(std::move(model), &person));
    BOOST_TEST(loaded.warnings.empty());
    return run_graph(loaded.what, weft::run_options_of(loaded.spec), {{"topic", "a cold cellar"}});
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_sample_runs_with_scripted_replies)
{
    const seen_run sent = run_letter({"again", "when it will be done", "Send", "yes"});
    BOOST_TEST(sent.path == "draft judge review ask draft judge review sign");
    BOOST_TEST(sent.value("draft") == "\"Dear landlord, could you please mend the roof this week?\"");
    BOOST_TEST(sent.value("score") == "9E-1");
    BOOST_TEST(sent.value("wish") == "\"when it will be done\"");
    BOOST_TEST(sent.value("signed") == "true");
    const seen_run stopped = run_letter({"stop"});
    BOOST_TEST(stopped.path == "draft judge review stop");
    BOOST_TEST(stopped.all("question") == "Dear landlord, the roof leaks.\n\nJudged 0.4 (no date). What shall happen?");
}

BOOST_AUTO_TEST_CASE(the_sample_asks_a_model_if_there_is_one)
{
    const auto model = says({{"Brr."}, {"not JSON"}, {R"({"score": 1, "weakness": "none"})"}});
    const seen_run seen = run_letter({"send", "no"}, model);
    BOOST_TEST(seen.path == "draft judge review sign");
    BOOST_TEST(seen.result.retries == 1u);
    BOOST_TEST(model->said(0, weft::role::user) == "Write a letter to the landlord about a cold cellar.\n"
                                                   "The sender's wish: none yet");
    BOOST_TEST(model->said(1, weft::role::user) == "Brr.");
    BOOST_TEST(seen.value("signed") == "false");
}

BOOST_AUTO_TEST_CASE(a_graph_of_a_file_with_nodes_that_talk_says_itself_again)
{
    const weft::node_registry registry = agent_registry(nullptr);
    const weft::loaded_graph loaded = weft::load_graph_file(graph_samples() / "letter.json", registry);
    const weft::graph_spec said = weft::spec_of(loaded.what, registry);
    const weft::loaded_graph again = weft::load_graph(said, registry);
    BOOST_TEST((weft::spec_of(again.what, registry) == said));
    for (std::size_t i = 0; i < said.nodes.size(); ++i) {
        weft::node_spec written = loaded.spec.nodes[i];
        if (written.kind == "human") written.client_facing = true;  // they all do
        BOOST_TEST((said.nodes[i] == written));
    }
}

BOOST_AUTO_TEST_CASE(the_newsroom_runs_without_a_model)
{
    const weft::loaded_graph loaded =
        weft::load_graph_file(graph_samples() / "newsroom.json", agent_registry(nullptr));
    const weft::run_result result = weft::run_blocking(loaded.what, weft::run_request{"t"});
    BOOST_TEST((result.status == weft::run_status::finished), result.message());
    const boost::json::object state = result.state.to_json();
    BOOST_TEST(state.at("report").as_string() == "It rains there, at 7 degrees.");
    BOOST_TEST(state.at("sources").as_array().size() == 1u);
    BOOST_TEST(!state.contains("trouble"));
    BOOST_TEST(boost::json::serialize(state.at("talk")).find("7 degrees") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(teams_and_supervisors_of_the_samples_run_without_a_model)
{
    const auto run = [](std::string_view file) {
        const weft::loaded_graph loaded = weft::load_graph_file(graph_samples() / file, agent_registry(nullptr));
        const weft::run_result result = weft::run_blocking(loaded.what, weft::run_request{"t"});
        BOOST_TEST((result.status == weft::run_status::finished), result.message());
        return result.state.to_json();
    };
    const boost::json::object support = run("support_team.json");
    BOOST_TEST(support.at("answer").as_string() == "Invoice 1017 was paid on Monday.");
    BOOST_TEST(support.at("who").as_string() == "billing");
    const boost::json::object office = run("editors_office.json");
    BOOST_TEST(office.at("article").as_string() == "Rivers are patient: the Nile takes 6650 km.");
    const std::string talk = boost::json::serialize(office.at("messages"));
    BOOST_TEST(talk.find("The Nile is 6650 km long.") < talk.find("Rivers are patient."));
    BOOST_TEST(!office.contains("trouble"));
}

BOOST_AUTO_TEST_CASE(the_kinds_are_those_that_others_know_by_name)
{
    const weft::node_registry without;
    const std::vector<std::string_view> always = without.kind_names();
    std::vector<std::string_view> added;
    const weft::node_registry registry = agent_registry(nullptr);
    for (const std::string_view kind : registry.kind_names())
        if (std::find(always.begin(), always.end(), kind) == always.end()) added.push_back(kind);
    std::vector<std::string_view> known{weft::agent_kind_names.begin(), weft::agent_kind_names.end()};
    std::sort(known.begin(), known.end());
    BOOST_TEST((added == known));
    for (const std::string_view kind : known) {
        const std::string members = "'nodes': [{'name': 'a', 'kind': '" + std::string{kind} +
                                    "'}], 'edges': [{'from': '__start__', 'to': 'a'}]";
        const std::string words = "the kind '" + std::string{kind} + "' is not there";
        BOOST_TEST(lacks(mistakes_in(spec_text(members)), {words}) == "");
    }
}

BOOST_AUTO_TEST_SUITE_END()
