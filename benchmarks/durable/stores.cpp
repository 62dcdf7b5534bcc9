#include "stores.hpp"

#include "harness/bench.hpp"
#include "store/postgres_server.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/store/record/store_model.hpp>

#ifdef WEFT_HAS_SQLITE
#include <weft/store/sqlite_store.hpp>
#endif
#ifdef WEFT_HAS_POSTGRES
#include <weft/store/postgres_store.hpp>
#endif

#include <unistd.h>

#include <set>
#include <stdexcept>

namespace weft_bench {

namespace {

class in_memory final : public opened_store {
public:
    weft::checkpoint_store& store() noexcept override { return store_; }
    std::uintmax_t bytes() override
    {
        const weft::store_model held = store_.snapshot();
        std::uintmax_t sum = 0;
        for (const weft::thread_summary& each : held.threads("", "", SIZE_MAX)) sum += held.usage(each.thread).bytes;
        return sum;
    }

private:
    weft::memory_store store_;
};

#if defined WEFT_HAS_SQLITE || defined WEFT_HAS_POSTGRES
template <class Writer>
commit_cost write_rows(Writer&& writer, const noted_commits& commits, std::size_t batch)
{
    std::set<std::string> names;
    for (const noting_store::noted_commit& each : commits) names.insert(each.thread.thread);
    writer.make_threads({names.begin(), names.end()});
    return writer.write(commits, batch);
}
#endif

#ifdef WEFT_HAS_SQLITE
class in_file final : public opened_store {
public:
    explicit in_file(weft::sqlite_sync sync) : sync_{sync} { open(); }
    weft::checkpoint_store& store() noexcept override { return *store_; }
    std::uintmax_t bytes() override
    {
        reopen();  // which copies the log into the file
        return folder_.bytes();
    }
    void reopen() override
    {
        store_.reset();
        open();
    }
    commit_cost write_by_hand(const noted_commits& commits, std::size_t batch) override
    {
        store_.reset();
        const commit_cost cost = write_rows(sqlite_batch_writer{folder_.file()}, commits, batch);
        open();
        return cost;
    }

private:
    void open()
    {
        weft::sqlite_options options{folder_.file()};
        options.sync = sync_;
        store_ = weft::run_blocking(weft::sqlite_store::open(std::move(options)));
    }

    own_folder folder_;
    weft::sqlite_sync sync_;
    std::unique_ptr<weft::sqlite_store> store_;
};
#endif

#ifdef WEFT_HAS_POSTGRES
weft_tests::postgres_server::options on_disk()
{
    weft_tests::postgres_server::options wanted;
    wanted.is_synced = true;
    return wanted;
}

class on_server final : public opened_store {
public:
    on_server() : server_{on_disk()} { open(); }
    weft::checkpoint_store& store() noexcept override { return *store_; }
    std::uintmax_t bytes() override
    {
        return std::stoull(server_.query("SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n"
                                         " ON n.oid = c.relnamespace WHERE n.nspname = 'weft' AND c.relkind = 'r'"));
    }
    void reopen() override
    {
        store_.reset();
        open();
    }
    commit_cost write_by_hand(const noted_commits& commits, std::size_t batch) override
    {
        return write_rows(postgres_batch_writer{server_.connection(), "weft"}, commits, batch);
    }

private:
    void open()
    {
        store_ = weft::run_blocking(weft::postgres_store::open(weft::postgres_options{server_.connection()}));
    }

    weft_tests::postgres_server server_;
    std::unique_ptr<weft::postgres_store> store_;
};
#endif

}  // namespace

commit_cost opened_store::write_by_hand(const noted_commits&, std::size_t)
{
    throw std::logic_error{"nobody writes by hand into a store in memory"};
}

own_folder::own_folder()
{
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("weft-bench-" + std::to_string(::getpid()) + "-" + std::to_string(++count));
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
}

own_folder::~own_folder() { std::filesystem::remove_all(path_); }

std::uintmax_t own_folder::bytes() const
{
    std::uintmax_t sum = 0;
    for (const auto& entry : std::filesystem::directory_iterator{path_})
        if (entry.path().extension() != ".db-shm" && entry.path().extension() != ".lock") sum += entry.file_size();
    return sum;
}

std::vector<std::string> store_kinds()
{
    std::vector<std::string> kinds{"memory"};
#ifdef WEFT_HAS_SQLITE
    kinds.emplace_back("sqlite");
#endif
#ifdef WEFT_HAS_POSTGRES
    if (weft_tests::postgres_server::programs()) kinds.emplace_back("postgres");
#endif
    return kinds;
}

std::unique_ptr<opened_store> open_store(const std::string& kind)
{
    if (kind == "memory") return std::make_unique<in_memory>();
#ifdef WEFT_HAS_SQLITE
    if (kind == "sqlite") return std::make_unique<in_file>(weft::sqlite_sync::full);
    if (kind == "sqlite_normal") return std::make_unique<in_file>(weft::sqlite_sync::normal);
#endif
#ifdef WEFT_HAS_POSTGRES
    if (kind == "postgres") return std::make_unique<on_server>();
#endif
    throw std::invalid_argument{"no store '" + kind + "' here"};
}

}  // namespace weft_bench
