#include <weft/tool/file_tools.hpp>

#include "file_jail.hpp"

#include <weft/async/on_pool.hpp>

#include <boost/asio/thread_pool.hpp>

#include <optional>

namespace weft {

using tool_detail::file_jail;
using tool_detail::jail_answer;

namespace {

struct read_file_arguments {
    std::string path;
    std::optional<std::uint64_t> offset = {};
};
BOOST_DESCRIBE_STRUCT(read_file_arguments, (), (path, offset))

struct list_files_arguments {
    std::optional<std::string> path = {};
};
BOOST_DESCRIBE_STRUCT(list_files_arguments, (), (path))

struct write_file_arguments {
    std::string path;
    std::string content;
};
BOOST_DESCRIBE_STRUCT(write_file_arguments, (), (path, content))

/** Touches files on the pool, if there is one. */
task<tool_result> touch(boost::asio::thread_pool* pool, std::function<jail_answer()> work)
{
    jail_answer answer;
    if (pool) {
        jail_answer there = co_await on_pool(*pool, std::move(work));
        answer = std::move(there);
    } else {
        answer = work();
    }
    if (answer.is_refused) co_return tool_result::error(std::move(answer.text));
    co_return tool_result::text(std::move(answer.text));
}

}  // namespace

void add_file_tools(tool_set& tools, const std::string& root, file_tools_options options)
{
    const auto jail = std::make_shared<file_jail>(root, options);
    boost::asio::thread_pool* const pool = options.pool;
    tools.add("read_file", "Reads a text file.",
              [jail, pool](read_file_arguments asked) {
                  return touch(pool, [jail, asked = std::move(asked)] {
                      return jail->read(asked.path, asked.offset.value_or(0));
                  });
              })
        .describe("path", "relative to the root, such as notes/today.txt")
        .describe("offset", "of the first byte to read; 0 if left out")
        .read_only();
    tools.add("list_files", "Lists the files of a directory.",
              [jail, pool](list_files_arguments asked) {
                  return touch(pool, [jail, asked = std::move(asked)] { return jail->list(asked.path.value_or("")); });
              })
        .describe("path", "relative to the root; left out: the root")
        .read_only();
    if (!options.allows_writing) return;
    tools.add("write_file", "Writes a text file; one that is there is replaced.",
              [jail, pool](write_file_arguments asked) {
                  return touch(pool, [jail, asked = std::move(asked)] {
                      return jail->write(asked.path, asked.content);
                  });
              })
        .describe("path", "relative to the root")
        .describe("content", "the whole text")
        .destructive();
}

}  // namespace weft
