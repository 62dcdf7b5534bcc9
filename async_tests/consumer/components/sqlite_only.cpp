#include <weft/async/run_blocking.hpp>
#include <weft/store/sqlite_store.hpp>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

weft::task<std::size_t> count_threads(std::string file)
{
    weft::sqlite_options options{std::move(file)};
    const std::unique_ptr<weft::sqlite_store> store = co_await weft::sqlite_store::open(std::move(options));
    const std::vector<weft::thread_summary> all = co_await store->threads("", "", 10);
    co_return all.size();
}

}  // namespace

int main()
{
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "weft-sqlite-only.db";
    std::filesystem::remove(file);
    const std::size_t threads = weft::run_blocking(count_threads(file.string()));
    std::cout << threads << " threads\n";
    return threads == 0 ? 0 : 1;
}
