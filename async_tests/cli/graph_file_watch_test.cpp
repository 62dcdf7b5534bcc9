#include <boost/test/unit_test.hpp>

#include "files.hpp"
#include "net/test_loop.hpp"
#include "serve/graph_file_watch.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

BOOST_AUTO_TEST_SUITE(graph_file_watch_test)

using namespace std::chrono_literals;
using weft_cli::change_source;
using weft_cli::graph_file_watch;
using weft_cli::graph_files_state;

/** A watch that polls a folder with one file, whose time is moved by hand. */
struct polled_folder {
    explicit polled_folder(std::string_view name) : files{name}, file{files.write("a.json", "{}")}
    {
        words.push_back(std::filesystem::path{file}.parent_path().string());
        watch = std::make_unique<graph_file_watch>(words, weft_cli::make_polling_source(),
                                                   graph_files_state::of(words));
    }

    hand_clock clock;
    test_loop loop{clock};
    weft_tests::folder files;
    std::string file;
    std::vector<std::string> words;
    std::unique_ptr<graph_file_watch> watch;
};

BOOST_AUTO_TEST_CASE(a_change_is_told_when_its_files_are_quiet)
{
    polled_folder w{"watch_quiet"};
    started<void> waiting{w.loop, w.watch->wait()};
    w.loop.advance(1s);
    BOOST_TEST(!waiting.is_done());
    w.files.write("a.json", R"({"name": )");
    w.loop.advance(1s);
    w.files.write("a.json", R"({"name": "half a fi)");
    w.loop.advance(200ms);
    BOOST_TEST(!waiting.is_done());
    w.files.write("a.json", R"({"name": "whole"})");
    w.loop.advance(200ms);
    BOOST_TEST(!waiting.is_done());
    w.loop.advance(200ms);
    BOOST_TEST(waiting.is_done());
    started<void> next{w.loop, w.watch->wait()};
    w.loop.advance(10s);
    BOOST_TEST(!next.is_done());
}

BOOST_AUTO_TEST_CASE(new_files_and_removed_ones_are_changes_and_others_are_none)
{
    polled_folder w{"watch_names"};
    started<void> first{w.loop, w.watch->wait()};
    w.files.write("notes.txt", "nothing");
    for (int i = 0; i < 5; ++i) w.loop.advance(1s);
    BOOST_TEST(!first.is_done());
    w.files.write("b.yaml", "name: b");
    for (int i = 0; i < 5; ++i) w.loop.advance(1s);
    BOOST_TEST(first.is_done());
    started<void> second{w.loop, w.watch->wait()};
    std::filesystem::remove(w.file);
    for (int i = 0; i < 5; ++i) w.loop.advance(1s);
    BOOST_TEST(second.is_done());
}

BOOST_AUTO_TEST_CASE(a_watch_ends_when_it_is_stopped)
{
    polled_folder w{"watch_stop"};
    started<void> waiting{w.loop, w.watch->wait()};
    waiting.stop();
    BOOST_TEST((waiting.failure().code() == weft::errc::cancelled));
    started<void> destroyed{w.loop, w.watch->wait()};
    destroyed.destroy();
    w.loop.advance(1s);
}

BOOST_AUTO_TEST_CASE(inotify_tells_of_files_that_matter)
{
    const weft_tests::folder files{"watch_inotify"};
    const std::string file = files.write("a.json", "{}");
    const std::filesystem::path place = std::filesystem::path{file}.parent_path();
    test_loop loop;
    const std::unique_ptr<change_source> source = weft_cli::make_inotify_source(
        loop.context(), {place}, [](std::string_view name) { return name.ends_with(".json"); });
    BOOST_TEST_REQUIRE(source);
    const auto begin = std::chrono::steady_clock::now();
    {
        started<void> waiting{loop, source->wait()};
        files.write("weft.db", "pages");
        for (int i = 0; i < 20; ++i) loop.settle();
        BOOST_TEST(!waiting.is_done());
        files.write("b.json", "{}");
        waiting.result();
    }
    {
        started<void> waiting{loop, source->wait()};
        std::filesystem::rename(file, place / "c.json");
        waiting.result();
    }
    // Without inotify it would look every five seconds.
    BOOST_TEST((std::chrono::steady_clock::now() - begin < 4s));
    started<void> stopped{loop, source->wait()};
    stopped.stop();
    BOOST_TEST((stopped.failure().code() == weft::errc::cancelled));
    BOOST_TEST(!weft_cli::make_inotify_source(loop.context(), {place / "none"}, [](std::string_view) { return true; }));
}

BOOST_AUTO_TEST_SUITE_END()
