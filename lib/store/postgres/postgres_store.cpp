#include <weft/store/postgres_store.hpp>

#include "claim_watermark.hpp"
#include "store/postgres/wire/pg_core.hpp"
#include "postgres_service.hpp"
#include "row_readers.hpp"
#include "store/postgres/wire/schema.hpp"
#include "store/postgres/sql/sql_statements.hpp"
#include "store/record/limit_checks.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_text.hpp>

#include <tuple>
#include <utility>

namespace weft {

namespace postgres_detail {

namespace {

constexpr std::size_t connections_max = 64;

pg_settings checked(const postgres_options& options)
{
    pg_settings settings{connection_string{options.connection}};
    if (!is_schema_name(options.schema))
        throw error{errc::invalid_configuration, "schema '" + options.schema + "'",
                    "name it with a lower-case letter or '_', then up to 40 of those and digits"};
    if (options.connections < 1 || options.connections > connections_max)
        throw error{errc::invalid_configuration, "connections", "a store has 1 to 64 of them"};
    if (options.request_timeout <= std::chrono::milliseconds{0} ||
        options.connect_timeout <= std::chrono::milliseconds{0})
        throw error{errc::invalid_configuration, "timeouts of a PostgreSQL store", "they are longer than nothing"};
    settings.schema = options.schema;
    settings.connections = options.connections;
    settings.waiting_max = options.waiting_max;
    settings.request_timeout = options.request_timeout;
    settings.connect_timeout = options.connect_timeout;
    settings.may_migrate = options.may_migrate;
    return settings;
}

}  // namespace

}  // namespace postgres_detail

namespace pg_sql = postgres_detail::sql;
using postgres_detail::sql_answer;
using postgres_detail::sql_parameters;
using postgres_detail::sql_request;
using postgres_detail::sql_result;

namespace {

sql_parameters journal_of(const thread_key& thread)
{
    sql_parameters parameters;
    parameters.text(thread.tenant).text(thread.thread);
    return parameters;
}

/** Two counts: fences that held, rows that were written. */
write_state state_of(const sql_result& rows)
{
    if (rows.integer(0, 0) == 0) return write_state::fenced;
    return rows.integer(0, 1) == 0 ? write_state::duplicate : write_state::ok;
}

sql_parameters naming_item(const std::string& tenant, const item_key& key)
{
    sql_parameters parameters;
    parameters.text(tenant).texts(key.space).text(key.name);
    return parameters;
}

/** The first space behind all those at or below `space`; nothing if there is none. */
std::optional<std::vector<std::string>> end_of(std::vector<std::string> space)
{
    if (space.empty()) return std::nullopt;
    // Nothing is between a text and that text with the smallest character behind it, since zeros are not stored.
    space.back().push_back('\1');
    return space;
}

}  // namespace

postgres_store::postgres_store(std::unique_ptr<postgres_detail::pg_core> core)
    : core_{std::move(core)}, watermark_{std::make_unique<postgres_detail::claim_watermark>()},
      service_{std::make_unique<postgres_detail::postgres_service>(*core_)}
{
}

postgres_store::~postgres_store() = default;

task<std::unique_ptr<postgres_store>> postgres_store::open(postgres_options options)
{
    postgres_detail::pg_settings settings = postgres_detail::checked(options);
    std::unique_ptr<postgres_detail::pg_core> core = co_await postgres_detail::pg_core::open(std::move(settings));
    std::unique_ptr<postgres_store> opened{new postgres_store{std::move(core)}};
    co_return opened;
}

task<void> postgres_store::prepare(postgres_options options)
{
    postgres_detail::pg_settings settings = postgres_detail::checked(options);
    settings.may_migrate = true;
    const std::unique_ptr<postgres_detail::pg_core> core =
        co_await postgres_detail::pg_core::open(std::move(settings));
}

service_store& postgres_store::service() noexcept { return *service_; }

const hash_key& postgres_store::key() const noexcept { return core_->key(); }

task<worker_id> postgres_store::enter(std::string name, std::chrono::milliseconds lifetime)
{
    check_name_limit(name, "worker");
    sql_parameters parameters;
    parameters.text(name).integer(lifetime.count());
    sql_request request;
    request.step(pg_sql::enter, std::move(parameters)).writing().of_workers();
    const sql_answer answer = co_await core_->run(std::move(request));
    co_return answer.results[0].integer(0, 0);
}

task<heartbeat_report> postgres_store::heartbeat(worker_id worker, std::chrono::milliseconds lifetime)
{
    sql_parameters parameters;
    parameters.integer(worker).integer(lifetime.count());
    sql_request request;
    request.step(pg_sql::heartbeat, std::move(parameters)).writing().of_workers();
    const sql_answer answer = co_await core_->run(std::move(request));
    heartbeat_report report;
    const postgres_detail::sql_result& rows = answer.results[0];
    report.is_alive = !rows.empty();
    for (std::size_t row = 0; row < rows.size(); ++row)
        if (!rows.is_null(row, 0))
            report.signals.push_back({run_id{rows.id(row, 0)}, static_cast<run_signal>(rows.integer(row, 1))});
    co_return report;
}

task<void> postgres_store::leave(worker_id worker)
{
    const auto only_worker = [&] {
        sql_parameters parameters;
        parameters.integer(worker);
        return parameters;
    };
    sql_request request;
    request.step(pg_sql::give_up_worker, only_worker())
        .step(pg_sql::fence_given_up, sql_parameters{})
        .step(pg_sql::leave_runs, only_worker())
        .step(pg_sql::remove_given_up, sql_parameters{});
    request.writing().of_workers().by_itself();
    const sql_answer answer = co_await core_->run(std::move(request));
    static_cast<void>(answer);
    watermark_->forget();
}

task<std::size_t> postgres_store::reap(std::size_t runs_max)
{
    sql_parameters limit;
    limit.integer(static_cast<std::int64_t>(runs_max));
    sql_request request;
    request.step(pg_sql::give_up_expired, sql_parameters{})
        .step(pg_sql::fence_given_up, sql_parameters{})
        .step(pg_sql::reap_runs, std::move(limit))
        .step(pg_sql::remove_given_up, sql_parameters{});
    request.writing().of_workers().by_itself();
    const sql_answer answer = co_await core_->run(std::move(request));
    const auto count = static_cast<std::size_t>(answer.results[2].integer(0, 0));
    if (count > 0) watermark_->forget();
    co_return count;
}

task<write_state> postgres_store::record(write_fence fence, effect_record effect)
{
    check_limits(effect);
    sql_parameters parameters = journal_of(fence.thread);
    parameters.integer(fence.epoch).id(fence.run.value()).text(effect.address);
    parameters.integer(static_cast<std::int64_t>(effect.phase)).text(effect.key).bytes(effect.body);
    sql_request request;
    request.step(pg_sql::record_effect, std::move(parameters)).writing().of(fence.thread);
    const sql_answer answer = co_await core_->run(std::move(request));
    co_return state_of(answer.results[0]);
}

task<std::vector<effect_record>> postgres_store::effects(thread_key thread)
{
    sql_request request;
    request.step(pg_sql::effects, journal_of(thread)).of(thread);
    const sql_answer answer = co_await core_->run(std::move(request));
    std::vector<effect_record> found;
    for (std::size_t row = 0; row < answer.results[0].size(); ++row)
        found.push_back(postgres_detail::read_effect(answer.results[0], row));
    co_return found;
}

task<write_state> postgres_store::ask(write_fence fence, question_record question)
{
    check_limits(question);
    sql_parameters parameters = journal_of(fence.thread);
    parameters.integer(fence.epoch).id(fence.run.value()).text(question.address).bytes(question.question);
    sql_request request;
    request.step(pg_sql::ask, std::move(parameters)).writing().of(fence.thread);
    const sql_answer answer = co_await core_->run(std::move(request));
    co_return state_of(answer.results[0]);
}

task<answer_state> postgres_store::answer(thread_key thread, std::string address, std::string answer)
{
    check_text_limit(answer, "answer");
    sql_parameters parameters = journal_of(thread);
    parameters.text(address).bytes(answer);
    sql_parameters which = journal_of(thread);
    which.text(address);
    sql_parameters whose = which;
    sql_request request;
    // The lock keeps two last answers from each taking the other question for open.
    request.step(pg_sql::lock_thread, journal_of(thread))
        .step(pg_sql::answer, std::move(parameters))
        .step(pg_sql::find_question, std::move(which))
        .step(pg_sql::ready_if_answered, std::move(whose));
    request.writing().of(thread);
    const sql_answer done = co_await core_->run(std::move(request));
    if (!done.results[3].empty()) watermark_->forget();
    if (!done.results[1].empty()) co_return answer_state::accepted;
    co_return done.results[2].empty() ? answer_state::unknown : answer_state::already_answered;
}

task<std::vector<question_record>> postgres_store::questions(thread_key thread)
{
    sql_request request;
    request.step(pg_sql::questions, journal_of(thread)).of(thread);
    const sql_answer answer = co_await core_->run(std::move(request));
    std::vector<question_record> found;
    for (std::size_t row = 0; row < answer.results[0].size(); ++row)
        found.push_back(postgres_detail::read_question(answer.results[0], row));
    co_return found;
}

task<void> postgres_store::put(std::string tenant, item_key key, boost::json::value value,
                               std::optional<std::chrono::milliseconds> lifetime)
{
    check_name_limit(tenant, "tenant");
    check_limits(key);
    const std::string text = to_json_text(value);
    check_text_limit(text, "item");
    sql_parameters parameters = naming_item(tenant, key);
    parameters.bytes(text);
    if (lifetime)
        parameters.integer(lifetime->count());
    else
        parameters.null('i');
    sql_request request;
    request.step(pg_sql::put_item, std::move(parameters)).writing();
    const sql_answer answer = co_await core_->run(std::move(request));
    static_cast<void>(answer);
}

task<std::optional<stored_item>> postgres_store::get(std::string tenant, item_key key)
{
    sql_request request;
    request.step(pg_sql::get_item, naming_item(tenant, key));
    const sql_answer answer = co_await core_->run(std::move(request));
    std::optional<stored_item> found;
    if (!answer.results[0].empty()) found = postgres_detail::read_item(answer.results[0], 0);
    co_return found;
}

task<bool> postgres_store::erase(std::string tenant, item_key key)
{
    sql_request request;
    request.step(pg_sql::erase_item, naming_item(tenant, key)).writing();
    const sql_answer answer = co_await core_->run(std::move(request));
    co_return !answer.results[0].empty() && answer.results[0].boolean(0, 0);
}

task<std::vector<stored_item>> postgres_store::list(std::string tenant, std::vector<std::string> space,
                                                    std::optional<item_key> after, std::size_t max)
{
    check_limits(space);
    item_key from{space, std::string{}};
    if (after && std::tie(after->space, after->name) > std::tie(from.space, from.name)) from = *after;
    sql_parameters parameters = naming_item(tenant, from);
    const std::optional<std::vector<std::string>> end = end_of(std::move(space));
    if (end)
        parameters.texts(*end);
    else
        parameters.null('T');
    if (after)
        parameters.texts(after->space).text(after->name);
    else
        parameters.null('T').null('t');
    parameters.integer(static_cast<std::int64_t>(max));
    sql_request request;
    request.step(pg_sql::list_items, std::move(parameters));
    const sql_answer answer = co_await core_->run(std::move(request));
    std::vector<stored_item> found;
    for (std::size_t row = 0; row < answer.results[0].size(); ++row)
        found.push_back(postgres_detail::read_item(answer.results[0], row));
    co_return found;
}

task<std::size_t> postgres_store::sweep(std::size_t max)
{
    sql_parameters parameters;
    parameters.integer(static_cast<std::int64_t>(max));
    sql_request request;
    request.step(pg_sql::sweep_items, std::move(parameters)).writing();
    const sql_answer answer = co_await core_->run(std::move(request));
    co_return static_cast<std::size_t>(answer.results[0].integer(0, 0));
}

}  // namespace weft
