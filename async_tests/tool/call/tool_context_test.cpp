#include <weft/tool/tool_context.hpp>

#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>

namespace {

/** A tool's context whose progress is noted. */
struct noted_progress {
    noted_progress()
    {
        context.progress = [this](std::string_view kind, std::string_view text) {
            heard.append(kind).append(": ").append(text).append(";");
        };
    }
    std::string make()
    {
        ++made;
        return "half";
    }

    weft::tool_context context;
    std::string heard;
    int made = 0;
};

BOOST_FIXTURE_TEST_SUITE(tool_context_test, noted_progress)

BOOST_AUTO_TEST_CASE(a_text_is_made_for_progress_that_says_nothing_of_watchers)
{
    context.emit("tool_start", [this] { return make(); });
    BOOST_TEST(heard == "tool_start: half;");
}

BOOST_AUTO_TEST_CASE(without_watchers_progress_is_a_sign_of_life_without_a_text)
{
    bool is_watched = false;
    context.is_watched = [&is_watched] { return is_watched; };
    context.emit("tool_start", [this] { return make(); });
    is_watched = true;
    context.emit("tool_end", [this] { return make(); });
    BOOST_TEST(heard == "tool_start: ;tool_end: half;");
    BOOST_TEST(made == 1);
}

BOOST_AUTO_TEST_CASE(nothing_is_made_where_nothing_takes_progress)
{
    context.progress = nullptr;
    context.emit("tool_start", [this] { return make(); });
    BOOST_TEST(made == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
