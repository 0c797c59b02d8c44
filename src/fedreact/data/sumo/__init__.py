"""The dataset ``sumo-ev``: traces of electric vehicles in the traffic simulator Eclipse SUMO.

Fifty vehicles of six published types drive in five towns with hills, weather and other traffic. The
Fed-REACT papers used traces of this kind (ICLR 4.2, arXiv 4.1 and H) that are not public; these are
made anew and are *not* the authors'. SUMO: Alvarez Lopez et al. 2018, "Microscopic Traffic
Simulation using SUMO", ITSC, 10.1109/ITSC.2018.8569938.

``regions`` the five towns; ``network`` their streets; ``fleet`` the vehicles; ``climate`` weather
and air conditioning; ``simulate`` a region's drives; ``windows`` the series cut from them.
"""
