#include "top_view.hpp"

#include "terminal/text_table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

namespace weft_cli {

namespace {

std::string number_text(const char* form, double number)
{
    char text[48];
    std::snprintf(text, sizeof text, form, number);
    return text;
}

std::string rate_text(double rate) { return number_text(rate < 10 ? "%.1f" : "%.0f", rate) + "/s"; }

std::string seconds_text(double seconds)
{
    if (seconds < 1) return number_text("%.0f ms", seconds * 1e3);
    return number_text(seconds < 100 ? "%.1f s" : "%.0f s", seconds);
}

/** What changed between two readings. A process that was started anew counts from 0. */
class metric_change {
public:
    using label_map = metric_reading::label_map;

    metric_change(const metric_reading& before, const metric_reading& now, double seconds) noexcept
        : before_{before}, now_{now}, seconds_{seconds}
    {
    }
    [[nodiscard]] double of(std::string_view name, const label_map& with = {}) const
    {
        const double now = now_.sum(name, with);
        const double before = before_.sum(name, with);
        return now < before ? now : now - before;
    }
    [[nodiscard]] double rate(std::string_view name, const label_map& with = {}) const
    {
        return of(name, with) / seconds_;
    }
    [[nodiscard]] std::string rate_of(std::string_view name, const label_map& with = {}) const
    {
        return rate_text(rate(name, with));
    }
    /** The mean of what a histogram observed; `-` if that is nothing. */
    [[nodiscard]] std::string mean(const std::string& histogram, const label_map& with = {}) const
    {
        const double count = of(histogram + "_count", with);
        return count > 0 ? seconds_text(of(histogram + "_sum", with) / count) : "-";
    }

private:
    const metric_reading& before_;
    const metric_reading& now_;
    double seconds_;
};

std::string count_text(double count) { return number_text("%.0f", count); }

std::string runs_line(const metric_change& change, const metric_reading& now)
{
    return count_text(now.sum("weft_runs_open")) + " under way   " + change.rate_of("weft_runs_total") +
           " come to rest   " + change.rate_of("weft_runs_total", {{"outcome", "failed"}}) + " fail   mean " +
           change.mean("weft_run_seconds") + "   in line " + change.mean("weft_run_queue_seconds");
}

std::string queue_line(const metric_reading& now)
{
    return count_text(now.sum("weft_queue_depth", {{"phase", "ready"}})) + " ready   " +
           count_text(now.sum("weft_queue_depth", {{"phase", "queued"}})) + " queued   " +
           count_text(now.sum("weft_queue_depth", {{"phase", "running"}})) + " running   oldest ready " +
           seconds_text(now.max("weft_queue_oldest_seconds", {{"phase", "ready"}})) + "   unclaimable " +
           count_text(now.sum("weft_queue_unclaimable")) + "   workers " +
           count_text(now.sum("weft_workers", {{"state", "alive"}}));
}

std::string models_line(const metric_change& change)
{
    constexpr double seconds_of_hour = 3600;
    return change.rate_of("weft_model_seconds_count") + " calls   mean " + change.mean("weft_model_seconds") +
           "   tokens in " + change.rate_of("weft_tokens_total", {{"kind", "input"}}) + "   out " +
           change.rate_of("weft_tokens_total", {{"kind", "output"}}) + "   $" +
           number_text("%.2f", change.rate("weft_cost_usd_total") * seconds_of_hour) + "/h   " +
           change.rate_of("weft_model_errors_total") + " fail";
}

std::string server_line(const metric_change& change, const metric_reading& now)
{
    constexpr double bytes_of_mib = 1024 * 1024;
    return change.rate_of("weft_http_requests_total") + " requests   mean " +
           change.mean("weft_http_request_seconds") + "   connections " +
           count_text(now.sum("weft_http_connections")) + "   store " + change.mean("weft_store_seconds") + "   CPU " +
           number_text("%.0f", change.rate("process_cpu_seconds_total") * 100) + " %   memory " +
           number_text("%.0f", now.sum("process_resident_memory_bytes") / bytes_of_mib) + " MiB";
}

std::string nodes_table(const metric_change& change, const metric_reading& now, std::size_t rows)
{
    std::vector<std::pair<double, metric_reading::label_map>> busiest;
    for (const metric_reading::sample* const each : now.all("weft_node_seconds_count")) {
        const double spent = change.of("weft_node_seconds_sum", each->labels);
        if (change.of("weft_node_seconds_count", each->labels) > 0) busiest.emplace_back(spent, each->labels);
    }
    std::sort(busiest.begin(), busiest.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    if (busiest.size() > rows) busiest.resize(rows);
    if (busiest.empty()) return "No node has ended since.\n";
    std::vector<std::vector<std::string>> table{{"GRAPH", "NODE", "ATTEMPTS", "MEAN", "FAIL", "AT WORK"}};
    for (const auto& [spent, labels] : busiest)
        table.push_back({labels.at("graph"), labels.at("node"), change.rate_of("weft_node_seconds_count", labels),
                         change.mean("weft_node_seconds", labels), change.rate_of("weft_node_failures_total", labels),
                         number_text("%.1f", change.rate("weft_node_seconds_sum", labels))});
    return table_of(table);
}

}  // namespace

std::string top_text(const metric_reading& before, const metric_reading& now, std::chrono::duration<double> span,
                     std::size_t rows)
{
    const metric_change change{before, now, span.count()};
    std::string text = "runs    " + runs_line(change, now) + "\n";
    text += "queue   " + queue_line(now) + "\n";
    text += "models  " + models_line(change) + "\n";
    text += "server  " + server_line(change, now) + "\n\n";
    return text + nodes_table(change, now, rows);
}

}  // namespace weft_cli
