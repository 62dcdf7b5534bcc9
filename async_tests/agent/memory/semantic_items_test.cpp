#include <boost/test/unit_test.hpp>

#include <weft/agent/memory/semantic_items.hpp>
#include <weft/base/error.hpp>
#include <weft/store/memory_items.hpp>
#include <weft/testing/model/word_embedding_model.hpp>
#include <weft/testing/simulation.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(semantic_items_test)

namespace {

using weft::errc;
using weft::semantic_items;
using weft::semantic_query;

struct world {
    std::shared_ptr<weft::memory_items> items = std::make_shared<weft::memory_items>();
    weft::item_space space{items, "acme"};
    std::shared_ptr<weft::testing::word_embedding_model> model =
        std::make_shared<weft::testing::word_embedding_model>(4'096);
    weft::testing::simulation sim{1};

    [[nodiscard]] semantic_items made(std::vector<std::string> fields = {}, std::string name = {}) const
    {
        return semantic_items{space, model, {std::move(fields), std::move(name)}};
    }
    [[nodiscard]] std::string names(const semantic_items& where, semantic_query query)
    {
        std::string all;
        for (const weft::item_match& each : sim.run(where.search(std::move(query))))
            all += (all.empty() ? "" : " ") + each.item.key.name;
        return all;
    }
};

auto is(errc code)
{
    return [code](const weft::error& e) { return e.code() == code; };
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_alike_is_found_first)
{
    world w;
    const semantic_items notes = w.made();
    w.sim.run(notes.put("rain", "rain is water that falls from clouds"));
    w.sim.run(notes.put("loan", "interest is the price of a loan"));
    w.sim.run(notes.below({"more"}).put("snow", "snow is frozen water that falls"));
    BOOST_TEST(w.names(notes, semantic_query{"water that falls from clouds"}) == "rain snow loan");
    BOOST_TEST(w.names(notes.below({"more"}), semantic_query{"price of a loan"}) == "snow");
    semantic_query second{"water that falls from clouds"};
    second.count_max = 1;
    second.offset = 1;
    BOOST_TEST(w.names(notes, second) == "snow");
    semantic_query like{"the price of a loan"};
    like.score_min = 0.5F;
    BOOST_TEST(w.names(notes, like) == "loan");
    const auto found = w.sim.run(notes.search(semantic_query{"interest is the price of a loan"}));
    BOOST_TEST(found[0].score > 0.999F);
    BOOST_TEST(found[0].item.value.as_string() == "interest is the price of a loan");
}

BOOST_AUTO_TEST_CASE(only_the_named_fields_have_a_meaning)
{
    world w;
    const semantic_items notes = w.made({"/title", "/author/name"});
    w.sim.run(notes.put("a", {{"title", "rain"}, {"text", "loans"}, {"author", {{"name", "Ann"}}}}));
    w.sim.run(notes.put("b", {{"title", "loans"}, {"text", "rain"}}));
    BOOST_TEST(w.names(notes, semantic_query{"rain"}) == "a b");
    BOOST_TEST(w.names(notes, semantic_query{"Ann"}) == "a b");
    semantic_query filtered{"rain"};
    filtered.contains = R"({"text": "rain"})";
    BOOST_TEST(w.names(notes, filtered) == "b");
    BOOST_CHECK_EXCEPTION(w.sim.run(notes.put("c", {{"text", "no title"}})), weft::error,
                          is(errc::invalid_configuration));
    BOOST_TEST(!w.sim.run(w.space.get("c")));
    const boost::json::value value = {{"n", 1}, {"list", {1, "x"}}, {"none", nullptr}};
    BOOST_TEST(weft::text_of_fields(value, {"/n", "/list/1", "/none", "/missing"}) == "1\nx");
    BOOST_TEST(weft::text_of_fields(nullptr, {}) == "");
}

BOOST_AUTO_TEST_CASE(several_values_are_put_by_one_call)
{
    world w;
    const semantic_items notes = w.made();
    std::vector<weft::named_value> values;
    for (const char* text : {"rain", "wind", "snow"}) values.push_back({text, text});
    w.sim.run(notes.put_all(std::move(values), std::chrono::seconds{5}));
    BOOST_TEST(w.names(notes, semantic_query{"wind"}).find("wind") == 0u);
    w.sim.run(notes.put_all({}));
    w.sim.clock().advance(std::chrono::seconds{5});
    BOOST_TEST(w.names(notes, semantic_query{"wind"}) == "");
}

BOOST_AUTO_TEST_CASE(vectors_of_another_model_are_not_compared)
{
    world w;
    w.sim.run(w.made({}, "words").put("rain", "rain"));
    BOOST_TEST(w.names(w.made(), semantic_query{"rain"}) == "rain");  // the label of the model is its name
    BOOST_TEST(w.names(w.made({}, "other"), semantic_query{"rain"}) == "");
}

BOOST_AUTO_TEST_CASE(what_cannot_work_is_refused)
{
    world w;
    const auto refused = is(errc::invalid_configuration);
    BOOST_CHECK_EXCEPTION((semantic_items{w.space, nullptr}), weft::error, refused);
    BOOST_CHECK_EXCEPTION((void)w.made({"title"}), weft::error, refused);
    BOOST_CHECK_EXCEPTION((void)w.made({"/a~2"}), weft::error, refused);
    BOOST_CHECK_EXCEPTION(w.sim.run(w.made().search(semantic_query{})), weft::error, refused);
}

BOOST_AUTO_TEST_CASE(a_task_keeps_what_it_needs)
{
    world w;
    weft::task<void> putting = w.made().put("rain", "rain");
    weft::task<std::vector<weft::item_match>> searching = w.made().search(semantic_query{"rain"});
    w.sim.run(std::move(putting));
    BOOST_TEST(w.sim.run(std::move(searching)).size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
