#include <boost/test/unit_test.hpp>

#include "serve/wire/stream_frames.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/graph/state/written_values.hpp>

#include <memory>
#include <string>
#include <utility>

BOOST_AUTO_TEST_SUITE(stream_frames_test)

using weft::run_event;
using weft::serve_detail::feed_event;
using weft::serve_detail::frames_of;
using weft::serve_detail::may_have_frames;
using weft::serve_detail::stream_mode;
using weft::serve_detail::stream_mode_count;
using weft::serve_detail::stream_view;
using kind = run_event::kind;

inline constexpr weft::state_key<std::string> name{"name"};

run_event event_of(kind what, std::string label)
{
    static const weft::graph of =
        weft::graph_builder{"one"}.state(name).node("a", [](weft::node_context&) {}).edge(weft::start, "a").build();
    run_event event;
    event.id = event.sequence = 1;
    event.what = what;
    event.node = "a";
    event.label = std::move(label);
    if (what == kind::run_started || what == kind::state_written || what == kind::branches_joined) {
        weft::state after{of.layout()};
        event.written = std::make_shared<const weft::written_values>(weft::write_set{}, std::move(after), false);
    }
    return event;
}

BOOST_AUTO_TEST_CASE(an_event_that_has_frames_is_one_that_may_have_them)
{
    int with_frames = 0;
    int left_out = 0;
    for (std::size_t mode = 0; mode < stream_mode_count; ++mode) {
        stream_view view;
        view.modes.add(static_cast<stream_mode>(mode));
        for (auto what = kind::run_started; what <= kind::gap; what = static_cast<kind>(static_cast<int>(what) + 1)) {
            for (const std::string& label : {std::string{"note"}, std::string{weft::agent_event::delta}}) {
                const feed_event event{event_of(what, label)};
                const bool has_frames = !frames_of(event, view).empty();
                const bool may_have = may_have_frames(event.what, view.modes);
                BOOST_TEST((may_have || !has_frames), "mode " << mode << ", kind " << static_cast<int>(what));
                with_frames += has_frames;
                left_out += !may_have;
            }
        }
    }
    BOOST_TEST(with_frames > 0);
    BOOST_TEST(left_out > with_frames);
}

BOOST_AUTO_TEST_CASE(the_first_frame_tells_the_run_and_the_attempt)
{
    weft::run_id run;
    BOOST_TEST(weft::serve_detail::metadata_frame(run, 2) ==
               "event: metadata\ndata: {\"run_id\":\"00000000-0000-0000-0000-000000000000\",\"attempt\":2}\n\n");
}

BOOST_AUTO_TEST_SUITE_END()
