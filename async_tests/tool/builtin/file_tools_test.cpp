#include <boost/asio/thread_pool.hpp>
#include <boost/test/unit_test.hpp>

#include "tool/own_directory.hpp"
#include "tool/tools.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/tool/file_tools.hpp>

#include <sys/stat.h>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(file_tools_test)

namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

weft::tool_answer call(const fs::path& root, const std::string& tool, json::object arguments,
                       weft::file_tools_options options = {})
{
    weft::tool_set tools;
    weft::add_file_tools(tools, root, options);
    const weft::tool_runner runner = runner_of(std::move(tools));
    std::vector<weft::tool_call> calls{call_of("c", tool, json::serialize(arguments))};
    return weft::run_blocking(runner.run(std::move(calls), weft::tool_context{})).answers.front();
}

std::string read(const fs::path& root, std::string_view path)
{
    return text_of(call(root, "read_file", {{"path", path}}));
}

weft::file_tools_options writing()
{
    weft::file_tools_options options;
    options.allows_writing = true;
    return options;
}

std::string write(const fs::path& root, std::string_view path, std::string_view content)
{
    return text_of(call(root, "write_file", {{"path", path}, {"content", content}}, writing()));
}

/** A root, and beside it what must stay unseen. */
struct scene {
    scene()
    {
        around.put("root/notes/today.txt", "rain");
        around.put("root/top.txt", "top");
        around.put("secret.txt", "secret");
        fs::create_symlink("../secret.txt", root / "link.txt");
        fs::create_symlink("..", root / "up");
        fs::create_symlink("notes", root / "inside");
        fs::create_symlink(around.path() / "new.txt", root / "new.txt");
    }
    own_directory around{"files"};
    fs::path root = around.path() / "root";
};

}  // namespace

BOOST_AUTO_TEST_CASE(files_below_the_root_are_read_and_listed)
{
    const scene s;
    BOOST_TEST(read(s.root, "notes/today.txt") == "rain");
    BOOST_TEST(read(s.root, "./notes//today.txt") == "rain");
    BOOST_TEST(text_of(call(s.root, "list_files", {})) == "inside\nlink.txt\nnew.txt\nnotes/\ntop.txt (3 bytes)\nup");
    BOOST_TEST(text_of(call(s.root, "list_files", {{"path", "notes"}})) == "today.txt (4 bytes)");
    BOOST_TEST(has(read(s.root, "notes/none.txt"), "No such file"));
    BOOST_TEST(has(read(s.root, "notes"), "is no regular file"));
    BOOST_TEST(has(read(s.root, ""), "names no file"));
}

BOOST_AUTO_TEST_CASE(no_path_leads_out_of_the_root)
{
    const scene s;
    for (const char* path : {"../secret.txt", "notes/../../secret.txt", "notes/..", "..", "up/secret.txt", "link.txt",
                             "inside/today.txt", "/etc/passwd", "//etc/passwd", "./../secret.txt"}) {
        const weft::tool_answer answer = call(s.root, "read_file", {{"path", path}});
        BOOST_TEST(answer.result.is_error, path);
        BOOST_TEST(!has(text_of(answer), "secret\n"), path);
    }
    BOOST_TEST(has(read(s.root, "up/secret.txt"), "symbolic links are not followed"));
    BOOST_TEST(has(read(s.root, "link.txt"), "symbolic links are not followed"));
    BOOST_TEST(has(read(s.root, std::string_view{"top.txt\0.png", 12}), "has a NUL"));
    BOOST_TEST(has(read(s.root, std::string(5'000, 'x')), "too long"));
    BOOST_TEST(call(s.root, "list_files", {{"path", "up"}}).result.is_error);
    BOOST_TEST(call(s.root, "list_files", {{"path", ".."}}).result.is_error);
}

BOOST_AUTO_TEST_CASE(only_regular_files_are_opened)
{
    const scene s;
    BOOST_TEST(::mkfifo((s.root / "pipe").c_str(), 0600) == 0);
    BOOST_TEST(has(read(s.root, "pipe"), "is no regular file"));
    s.around.put("root/binary", std::string_view{"a\0b", 3});
    BOOST_TEST(has(read(s.root, "binary"), "is no text"));
}

BOOST_AUTO_TEST_CASE(long_files_are_read_in_pieces)
{
    const scene s;
    s.around.put("root/long.txt", "0123456789");
    weft::file_tools_options options;
    options.read_bytes_max = 4;
    const auto piece = [&](int offset) {
        return text_of(call(s.root, "read_file", {{"path", "long.txt"}, {"offset", offset}}, options));
    };
    BOOST_TEST(piece(0) == "0123\n[bytes 0 to 4 of 10; go on with offset 4]");
    BOOST_TEST(piece(8) == "89");
    BOOST_TEST(has(piece(11), "ends at byte 10"));
    options.entries_max = 2;
    BOOST_TEST(has(text_of(call(s.root, "list_files", {}, options)), "[there may be more]"));
}

BOOST_AUTO_TEST_CASE(writing_is_off_unless_allowed)
{
    const scene s;
    const weft::tool_answer answer = call(s.root, "write_file", {{"path", "x"}, {"content", "y"}});
    BOOST_TEST((answer.status == weft::tool_status::unknown_tool));
}

BOOST_AUTO_TEST_CASE(a_file_is_replaced_whole_and_stays_below_the_root)
{
    const scene s;
    BOOST_TEST(write(s.root, "deep/er/new.txt", "hello") == "wrote 5 bytes");
    BOOST_TEST(s.around.get("root/deep/er/new.txt") == "hello");
    BOOST_TEST(write(s.root, "top.txt", "other") == "wrote 5 bytes");
    BOOST_TEST(s.around.get("root/top.txt") == "other");
    BOOST_TEST(has(write(s.root, "../out.txt", "x"), "'..'"));
    BOOST_TEST(has(write(s.root, "up/out.txt", "x"), "symbolic links"));
    BOOST_TEST(has(write(s.root, "/tmp/out.txt", "x"), "absolute"));
    BOOST_TEST(has(write(s.root, "new.txt", "x"), "symbolic links"));
    BOOST_TEST(!fs::exists(s.around.path() / "new.txt"));
    BOOST_TEST(!fs::exists(s.around.path() / "out.txt"));
    BOOST_TEST(has(write(s.root, "notes", "x"), "'notes'"));
    weft::file_tools_options options = writing();
    options.write_bytes_max = 3;
    BOOST_TEST(call(s.root, "write_file", {{"path", "x"}, {"content", "long"}}, options).result.is_error);
    std::size_t left = 0;
    for (const auto& file : fs::recursive_directory_iterator{s.root})
        left += file.path().extension() == ".part" ? 1 : 0;
    BOOST_TEST(left == 0u);
}

BOOST_AUTO_TEST_CASE(F10_what_is_no_regular_file_is_not_replaced)
{
    const scene s;
    BOOST_TEST(has(write(s.root, "link.txt", "x"), "symbolic links"));
    BOOST_TEST(fs::is_symlink(s.root / "link.txt"));
    BOOST_TEST(s.around.get("secret.txt") == "secret");
    BOOST_REQUIRE(::mkfifo((s.root / "fifo").c_str(), 0600) == 0);
    BOOST_TEST(has(write(s.root, "fifo", "x"), "'fifo' is no regular file"));
    BOOST_TEST(fs::is_fifo(s.root / "fifo"));
}

BOOST_AUTO_TEST_CASE(F10_a_file_that_is_written_keeps_its_mode)
{
    const scene s;
    for (const auto mode : {fs::perms{0600}, fs::perms{0755}, fs::perms{0640}}) {
        fs::permissions(s.root / "top.txt", mode);
        BOOST_TEST(write(s.root, "top.txt", "other") == "wrote 5 bytes");
        BOOST_TEST((fs::status(s.root / "top.txt").permissions() == mode));
    }
}

BOOST_AUTO_TEST_CASE(files_can_be_touched_on_a_pool)
{
    const scene s;
    boost::asio::thread_pool pool{1};
    weft::file_tools_options options;
    options.pool = &pool;
    BOOST_TEST(text_of(call(s.root, "read_file", {{"path", "top.txt"}}, options)) == "top");
}

BOOST_AUTO_TEST_CASE(a_root_that_is_none_is_told_at_once)
{
    weft::tool_set tools;
    BOOST_CHECK_THROW(weft::add_file_tools(tools, "/nowhere/at/all"), weft::error);
}

BOOST_AUTO_TEST_SUITE_END()
