#include "check_report.hpp"

#include "terminal/exit_codes.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <set>

namespace weft_cli {

namespace {

std::string counted(std::size_t count, const std::string& noun)
{
    return (count == 0 ? "no" : std::to_string(count)) + " " + noun + (count == 1 ? "" : "s");
}

boost::json::object problem_json(const problem& what)
{
    const weft::finding& found = what.found.what;
    boost::json::object result{{"rule", found.rule},
                               {"severity", name_of(found.level)},
                               {"message", found.message},
                               {"file", what.found.file}};
    if (!found.remedy.empty()) result["remedy"] = found.remedy;
    if (what.found.at) result["line"] = what.found.at->line;
    if (what.found.at) result["column"] = what.found.at->column;
    if (!what.path.empty()) result["path"] = what.path;
    if (!found.witness.empty()) result["witness"] = boost::json::array(found.witness.begin(), found.witness.end());
    return result;
}

weft::located_finding trouble_of(const graph_file& file)
{
    return {{"unreadable_file", weft::severity::error, "the file cannot be read: " + file.trouble, {}, {}},
            file.path.string(),
            {}};
}

}  // namespace

std::size_t check_report::count(weft::severity level) const
{
    std::size_t total = 0;
    for (const checked_file& checked : files)
        total += static_cast<std::size_t>(std::count_if(checked.problems.begin(), checked.problems.end(),
                                                        [&](const problem& p) { return p.found.what.level == level; }));
    return total;
}

std::size_t check_report::unreadable_count() const
{
    return static_cast<std::size_t>(
        std::count_if(files.begin(), files.end(), [](const checked_file& c) { return !c.file.trouble.empty(); }));
}

int check_report::exit_code(bool is_strict) const
{
    if (unreadable_count() > 0) return wrong_usage;
    const bool fails = count(weft::severity::error) > 0 || (is_strict && count(weft::severity::warning) > 0);
    return fails ? has_failed : all_good;
}

check_report check_files(const std::vector<std::string>& paths, const graph_file_reader& reader)
{
    check_report report;
    for (const std::string& path : paths) {
        checked_file checked{reader.read(path)};
        checked.problems = problems_of(checked.file);
        report.files.push_back(std::move(checked));
    }
    return report;
}

std::string summary_of(const check_report& report)
{
    std::string text = counted(report.files.size(), "file") + ": " +
                       counted(report.count(weft::severity::error), "error") + ", " +
                       counted(report.count(weft::severity::warning), "warning") + ", " +
                       counted(report.count(weft::severity::note), "note");
    if (const std::size_t unreadable = report.unreadable_count(); unreadable > 0)
        text += "; " + std::to_string(unreadable) + " cannot be read";
    std::set<std::string> functions;
    for (const checked_file& checked : report.files)
        functions.insert(checked.file.functions.begin(), checked.file.functions.end());
    if (functions.empty()) return text + "\n";
    text += "\ntaken for granted, as they belong to a C++ program:";
    for (const std::string& name : functions) text += (name == *functions.begin() ? " " : ", ") + name;
    return text + "\n";
}

boost::json::object to_json(const check_report& report)
{
    boost::json::array files;
    for (const checked_file& checked : report.files) {
        boost::json::object file{{"file", checked.file.path.string()}};
        if (!checked.file.trouble.empty()) file["trouble"] = checked.file.trouble;
        if (checked.file.loaded) file["graph"] = checked.file.loaded->what.name();
        const std::set<std::string>& functions = checked.file.functions;
        if (!functions.empty()) file["functions"] = boost::json::array(functions.begin(), functions.end());
        boost::json::array problems;
        for (const problem& what : checked.problems) problems.push_back(problem_json(what));
        file["problems"] = std::move(problems);
        files.push_back(std::move(file));
    }
    return {{"files", std::move(files)},
            {"errors", report.count(weft::severity::error)},
            {"warnings", report.count(weft::severity::warning)},
            {"notes", report.count(weft::severity::note)}};
}

boost::json::object to_sarif(const check_report& report)
{
    std::vector<weft::located_finding> found;
    for (const checked_file& checked : report.files) {
        if (!checked.file.trouble.empty()) found.push_back(trouble_of(checked.file));
        for (const problem& what : checked.problems) found.push_back(what.found);
    }
    return weft::to_sarif(found);
}

}  // namespace weft_cli
