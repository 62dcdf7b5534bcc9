#include "migration_steps.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace weft::postgres_detail {

namespace {

/** The word behind the first `before`; empty if there is none. */
std::string word_behind(std::string_view text, std::string_view before)
{
    const std::size_t at = text.find(before);
    if (at == text.npos) return {};
    const std::string_view rest = text.substr(at + before.size());
    return std::string{rest.substr(0, rest.find_first_of(" (,;"))};
}

/** Reads statements in their order and knows which tables and indexes there are. */
class statement_reader {
public:
    migration_step read(std::string_view text)
    {
        migration_step step;
        if (text.starts_with("CREATE TABLE")) tables_.insert(word_behind(text, "CREATE TABLE "));
        if (text.starts_with("CREATE INDEX") || text.starts_with("CREATE UNIQUE INDEX")) {
            step.index = word_behind(text, " INDEX ");
            take(step, word_behind(text, " ON "), migration_way::concurrently, migration_lock::nothing);
            indexes_[step.index] = word_behind(text, " ON ");
        }
        if (text.starts_with("UPDATE "))
            take(step, word_behind(text, "UPDATE "), migration_way::in_batches, migration_lock::nothing);
        if (text.starts_with("CREATE TRIGGER"))
            take(step, word_behind(text, " ON "), migration_way::at_once, migration_lock::writers);
        if (text.starts_with("DROP INDEX"))
            take(step, indexes_[word_behind(text, "DROP INDEX ")], migration_way::at_once, migration_lock::everything);
        if (text.starts_with("ALTER TABLE")) {
            const std::string table = word_behind(text, "ALTER TABLE ");
            // Settings of autovacuum lock out nothing but other changes of the table.
            const bool is_setting = text.find(" SET (") != text.npos;
            take(step, table, migration_way::at_once,
                 is_setting ? migration_lock::nothing : migration_lock::everything);
        }
        return step;
    }

    /** The tables from here on are new. */
    void forget_tables() { tables_.clear(); }

private:
    void take(migration_step& step, std::string table, migration_way way, migration_lock lock) const
    {
        if (tables_.contains(table)) return;
        step.table = std::move(table);
        step.way = way;
        step.lock = lock;
    }

    std::set<std::string> tables_;
    std::map<std::string, std::string> indexes_;
};

}  // namespace

std::vector<migration_step> migration_steps(int found, int done)
{
    std::vector<migration_step> steps;
    statement_reader reader;
    for (const schema_version& version : schema_versions()) {
        if (version.number == found + 1) reader.forget_tables();
        int number = 0;
        for (const char* text : version.statements) {
            migration_step step = reader.read(text);
            step.version = version.number;
            step.number = ++number;
            step.text = text;
            const bool is_done = version.number <= found || (version.number == found + 1 && number <= done);
            if (!is_done) steps.push_back(std::move(step));
        }
    }
    return steps;
}

}  // namespace weft::postgres_detail
