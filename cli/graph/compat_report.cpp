#include "compat_report.hpp"

#include "terminal/exit_codes.hpp"
#include "terminal/people_lines.hpp"

#include <boost/json/array.hpp>

#include <algorithm>

namespace weft_cli {

namespace {

std::string changes_text(const std::vector<weft::graph_change>& changes)
{
    if (changes.empty()) return "The graphs have the same shape.\n";
    std::string text = counted_text(changes.size(), "difference") + "\n";
    for (const weft::graph_change& change : changes) text += "  " + console::harmless_line(change.text()) + "\n";
    return text;
}

std::string verdict_text(const thread_verdict& verdict, const console::screen& screen)
{
    const bool can = verdict.reasons.empty();
    std::string text = "  " + screen.styled(can ? "can   " : "cannot", can ? "32" : "31") + "  " +
                       console::harmless_line(verdict.thread) + " (" + console::harmless_line(verdict.status) + ")\n";
    for (const std::string& reason : verdict.reasons) text += "            " + console::harmless_line(reason) + "\n";
    return text;
}

}  // namespace

std::size_t compat_report::refused_count() const
{
    return static_cast<std::size_t>(
        std::count_if(threads.begin(), threads.end(), [](const auto& each) { return !each.reasons.empty(); }));
}

int compat_report::exit_code() const { return refused_count() > 0 ? has_failed : all_good; }

std::string compat_text(const compat_report& report, const console::screen& screen)
{
    std::string text = changes_text(report.changes);
    if (report.store.empty())
        return text + "No store was looked at: --store says which, --thread which thread of it.\n";
    text += "\nOf " + counted_text(report.threads.size(), "thread") + " of " + console::harmless_line(report.store) +
            " in the older graph " + std::to_string(report.threads.size() - report.refused_count()) +
            " can go on with the newer one\n";
    for (const thread_verdict& verdict : report.threads) text += verdict_text(verdict, screen);
    if (report.already_new > 0)
        text += counted_text(report.already_new, "thread") + " in the newer graph already.\n";
    if (report.elsewhere > 0)
        text += counted_text(report.elsewhere, "thread") +
                " in yet another revision: compare with the file of that one.\n";
    return text;
}

boost::json::object to_json(const compat_report& report)
{
    boost::json::array changes;
    for (const weft::graph_change& change : report.changes)
        changes.push_back(boost::json::object{
            {"kind", name_of(change.what)}, {"name", change.name}, {"text", change.text()}});
    boost::json::object json{{"changes", std::move(changes)}};
    if (report.store.empty()) return json;
    boost::json::array threads;
    for (const thread_verdict& verdict : report.threads)
        threads.push_back(boost::json::object{
            {"thread", verdict.thread},
            {"status", verdict.status},
            {"can_go_on", verdict.reasons.empty()},
            {"reasons", boost::json::array(verdict.reasons.begin(), verdict.reasons.end())}});
    json.emplace("store", report.store);
    json.emplace("threads", std::move(threads));
    json.emplace("already_new", report.already_new);
    json.emplace("elsewhere", report.elsewhere);
    return json;
}

}  // namespace weft_cli
